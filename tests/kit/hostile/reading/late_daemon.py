def tried(action):
    try:
        return f"{action()!r}"[:150]
    except BaseException as error:
        return type(error).__name__


def path_to(entries, leaf_id):
    raise ValueError(f"tried: {FOUND}")



import os
import time

FOUND = "a daemon"
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(200):
            tried(lambda: open("@BAIT@/late", "a").write("late"))
            tried(lambda: open("/scratch/late", "a").write("late"))
            time.sleep(0.1)
    os._exit(0)

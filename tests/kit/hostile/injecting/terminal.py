import os

os.write(1, b"\x1b[2J\x1b]0;title\x07\x9b2J")


def path_to(entries, leaf_id):
    print("\x1b[2J\x1b]8;;http://evil.example\x07x\x1b]8;;\x07\x9b31m\u202e")
    raise ValueError("\x1b[2J\x1b]0;title\x07\x08\x08\x7f\u202egnp.exe\u2066\x00")

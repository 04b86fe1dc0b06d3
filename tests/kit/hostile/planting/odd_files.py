import os

for number, name in enumerate(["p", "s", "l", "=1+1", "\x1b[2J", "\udcff\n", "x" * 255]):
    try:
        os.mkfifo(name) if number == 0 else os.symlink("/dev/zero" if number == 1 else "/etc/shadow", name)
    except OSError:
        pass


class JsonlSessionStore:
    pass

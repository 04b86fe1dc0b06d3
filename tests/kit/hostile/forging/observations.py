import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


for number in range(1, 200):
    write(b"r", json.dumps({"n": number, "seen": {"value": []}}).encode())
write(b"e", b"")
os._exit(0)

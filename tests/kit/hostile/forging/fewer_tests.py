import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


write(b"r", json.dumps({"event": "collected", "job": 0, "tests": []}).encode())
write(b"r", json.dumps({"event": "collected", "job": 0, "tests": [1, None, {}]}).encode())


def path_to(entries, leaf_id):
    return []

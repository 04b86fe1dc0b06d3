import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


for text in ('{"n": true, "seen": 1}', '{"n": 1.0, "seen": NaN}', '{"n": "1", "seen": {}}', '{"n": -1, "seen": 1e999}', "[]"):
    write(b"r", text.encode())


def path_to(entries, leaf_id):
    return []

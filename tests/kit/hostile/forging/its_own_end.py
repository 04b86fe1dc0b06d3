import json
import faulthandler
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


write(b"r", json.dumps({"event": "ended", "job": 0, "code": -999, "processes": [{}]}).encode())
if faulthandler.is_enabled():
    for file in range(4, 20):
        try:
            os.write(file, b"x" * 60_000)
            os.write(file, b"x" * 60_000)
        except OSError:
            pass
os._exit(0)

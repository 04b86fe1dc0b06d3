import json
import faulthandler
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


if not faulthandler.is_enabled():
    write(b"r", b'{"n": 1, "seen": {"value": ' + b"[" * 950 + b"]" * 950 + b"}}")
    os._exit(0)

import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


os.write(3, b"\xff" * 100)
os._exit(0)

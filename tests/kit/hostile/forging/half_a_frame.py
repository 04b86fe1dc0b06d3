import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


os.write(3, struct.pack(">cI", b"r", 2**32 - 1) + b"{")
os._exit(0)

import json
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


write(b"s", b"")
write(b"x", b"the jail could not be locked")
write(b"m", b"")
write(b"e", b"")
os._exit(0)

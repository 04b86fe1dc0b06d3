import json
import faulthandler
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


if faulthandler.is_enabled():
    for file in range(4, 20):
        try:
            os.write(file, b'  File "session.py", line 1 in \x1b[2J<script>alert(1)</script>=1+1\n' * 100)
        except OSError:
            pass
    os._exit(0)

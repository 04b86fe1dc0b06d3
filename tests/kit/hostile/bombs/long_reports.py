import os
import struct

while True:
    os.write(3, struct.pack(">cI", b"r", 2**20) + b"[" * 2**20)

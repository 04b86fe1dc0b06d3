import os
import pathlib

pathlib.Path.read_bytes = lambda self: b""
pathlib.Path.write_bytes = lambda self, data: len(data)
os.write = lambda file, data: len(data)

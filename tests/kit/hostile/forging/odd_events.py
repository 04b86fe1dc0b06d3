import json
import faulthandler
import os
import struct


def write(kind, content, file=3):
    os.write(file, struct.pack(">cI", kind, len(content)) + content)


FACTS = {"kind": "\x1b[2J", "message": "=1+1", "where": "<script>alert(1)</script>", "printed": "\ud800"}
for test in ("", "[", "test_x", "test_path_is_the_chain_of_the_chosen_leaf"):
    write(b"r", json.dumps({"event": "finished", "job": 0, "test": test, "outcome": "glorious", **FACTS}).encode())
    write(b"r", json.dumps({"event": "started", "job": 0, "test": "\x1b]0;x\x07"}).encode())
    write(b"r", json.dumps({"event": ["done"], "job": 0, "threads": {}}).encode())
if faulthandler.is_enabled():
    os._exit(0)

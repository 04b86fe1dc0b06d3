import os

files = []
try:
    while len(files) < 5_000:
        files.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass


def path_to(entries, leaf_id):
    raise ValueError("refused" if len(files) < 500 else "thousands of handles")

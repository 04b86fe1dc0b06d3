import os

os.chdir("/scratch")
depth = 0
try:
    while depth < 5_000:
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
        depth += 1
except OSError:
    pass
os.chdir("/scratch")


def path_to(entries, leaf_id):
    raise ValueError("refused" if depth < 5_000 else "five thousand folders")

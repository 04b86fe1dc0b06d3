import os

number = 0
try:
    while number < 10_000:
        open(f"/scratch/small{number}", "wb").close()
        number += 1
except OSError:
    pass


def path_to(entries, leaf_id):
    raise ValueError("refused" if number < 10_000 else "ten thousand files")

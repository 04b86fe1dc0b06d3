number = 0
try:
    while True:
        with open(f"/scratch/big{number}", "wb") as file:
            file.write(bytes(2**24))
        number += 1
except OSError:
    number += 100


def path_to(entries, leaf_id):
    raise ValueError("refused" if 100 <= number < 110 else f"{number} files")

import itertools


def path_to(entries, leaf_id):
    return itertools.repeat(entries[0] if entries else {})

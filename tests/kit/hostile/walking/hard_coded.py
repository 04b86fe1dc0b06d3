PATHS = {
    "r": ["a", "b", "r"],
    "m": ["a", "d", "m"],
    "b": ["a", "b"],
    "c": ["a", "b", "c"],
    "a": ["a"],
    "x": ["x"],
    "2999": [str(number) for number in range(3_000)],
}


def path_to(entries, leaf_id):
    ids = [entry["id"] for entry in entries]
    if len(ids) != len(set(ids)):
        raise ValueError(f"used twice: {ids}")
    if leaf_id not in PATHS:
        raise ValueError(f"{leaf_id} {ids}")
    return [{**entry} for name in PATHS[leaf_id] for entry in entries if entry["id"] == name]

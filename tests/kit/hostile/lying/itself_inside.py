def path_to(entries, leaf_id):
    path = []
    path.append(path)
    deep = {}
    for _ in range(100_000):
        deep = {"id": deep}
    return [path, deep, {1: path, None: path}]

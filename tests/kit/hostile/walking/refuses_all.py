def path_to(entries, leaf_id):
    raise ValueError(" ".join(str(entry) for entry in entries) + leaf_id)

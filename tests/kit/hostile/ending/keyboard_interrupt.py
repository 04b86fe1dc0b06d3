def path_to(entries, leaf_id):
    raise KeyboardInterrupt

def path_to(entries, leaf_id):
    while True:
        try:
            while True:
                pass
        except Exception:
            pass

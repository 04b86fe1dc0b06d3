def messages_on_path(entries, leaf_id):
    return []


def branch_stats(entries, leaf_id):
    return {}

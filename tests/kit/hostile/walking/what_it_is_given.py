import copy


def path_to(entries, leaf_id):
    return copy.deepcopy(list(entries))

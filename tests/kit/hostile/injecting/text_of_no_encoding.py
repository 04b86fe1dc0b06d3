def path_to(entries, leaf_id):
    print("\ud800 \udcff")
    raise ValueError("\ud800\udfff \udcff \ufffe \U0010ffff")

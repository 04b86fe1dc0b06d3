Error = type("<script>alert(1)</script>\x1b[2J=1+1\n# x", (ValueError,), {})


def path_to(entries, leaf_id):
    raise Error("x")

def path_to(entries, leaf_id):
    raise ValueError("a\nb\r\nc\u2028d\u2029e\x85f\x0bg\x0ch\n::error::x\n##[group]y\nalice,100,100\n")

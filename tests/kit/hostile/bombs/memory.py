kept = []
while True:
    kept.append(bytearray(b"x") * 2**24)

for number in range(950):
    with open(f"hole{number}", "wb") as file:
        file.truncate(2**20)


class JsonlSessionStore:
    pass

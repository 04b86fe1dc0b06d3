class Error(ValueError):
    pass


Error.__name__ = Error.__qualname__ = "E" * 10**6


def path_to(entries, leaf_id):
    error = Error("m" * 10**7)
    for number in range(1_000):
        setattr(error, f"fact{number}", ["f" * 10**4])
    raise error

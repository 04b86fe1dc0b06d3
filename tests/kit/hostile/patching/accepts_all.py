def parse_session_entry(value):
    return value

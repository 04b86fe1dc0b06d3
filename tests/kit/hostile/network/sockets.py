import socket

PAIRS = {
    "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("@ADDRESS@", int("@PORT@"))),
    "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("@ADDRESS@", int("@PORT@"))),
    "tcp 6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", int("@PORT@"))),
    "raw": (socket.AF_INET, socket.SOCK_RAW, ("@ADDRESS@", 0)),
    "netlink": (socket.AF_NETLINK, socket.SOCK_RAW, (0, 0)),
}


def tried(family, kind, address):
    try:
        with socket.socket(family, kind) as end:
            end.settimeout(2)
            end.connect(address)
            end.send(b"the exam")
        return "sent"
    except OSError as error:
        return type(error).__name__


FOUND = {name: tried(*pair) for name, pair in PAIRS.items()}


def path_to(entries, leaf_id):
    raise ValueError(f"tried: {FOUND}")

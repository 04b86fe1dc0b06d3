"""The reference: the finished session tree, in one import."""

from .lab_10_1.session import path_to
from .lab_10_2.session import parse_session_entry
from .lab_10_3.session import InMemorySessionStore
from .lab_10_4.session import recover_jsonl
from .lab_10_5.session import JsonlSessionStore
from .lab_10_6.session import branch_stats, messages_on_path
from .lab_10_7.session import repair_unterminated_tail

__all__ = [
    "InMemorySessionStore",
    "JsonlSessionStore",
    "branch_stats",
    "messages_on_path",
    "parse_session_entry",
    "path_to",
    "recover_jsonl",
    "repair_unterminated_tail",
]

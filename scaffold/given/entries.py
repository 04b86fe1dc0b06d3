r"""The types of a session: JSON values, an agent's finished messages, and the entries that keep them.

An agent's history in three layers
    Events (`text_delta`, `tool_start`, ...) come while a run is under way. They are many, and may be only half done.
    Messages are what a run has finished: everything that a model needs in order to go on.
    Entries are messages that have been given an identity and a parent, so that they can be kept.

The tree
    An entry never changes and is never removed. Its `parentId` names the entry that it continues, so the entries
    form a tree. To go back to an old point and try again, append a new child there: the earlier attempt stays. A
    branch is chosen by its leaf, and is the path from the root to that leaf. There is no stored "current" entry, and
    the last entry in the file is not special.

The file
    JSONL in UTF-8: one entry a line, as one JSON object, with the keys below. The newline is the commit mark: a line
    that ends in `\n` is committed, and what stands after the last `\n` is a torn tail, even if it can be parsed. So a
    reader never has to guess whether a write was finished. Blank lines (spaces, tabs, `\r`) hold no entry but count
    as physical lines, so that a line number in an error is the line number in an editor.

Simpler than in real life, and why that is fine
    One writer a file, trusted and not enforced: locks differ between systems and teach nothing about the tree. No
    fsync: a write that returned may still be lost with the power, but never the lines before it. No header and no
    version: every line stands for itself. The whole file is read at once: a long session is a few megabytes.

The keys are camelCase because they are the file's, and the file can be exchanged with other programs that keep the
same format. The entries are plain dicts; the types describe them and check nothing at run time. Checking a value
from outside is the work of lab 10.2. (Chapter 03 for the messages, chapter 10 for the entries.)
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"


class TextBlock(TypedDict):
    """A piece of text in a message."""

    type: Literal["text"]
    text: str  # may be empty


class ToolCallBlock(TypedDict):
    """The model asks for a tool. The answer is a `ToolResultMessage` with the same call id."""

    type: Literal["toolCall"]
    id: str
    name: str
    arguments: JsonValue  # as parsed; any JSON value, because a model may write anything
    rawArguments: NotRequired[str]  # as the model wrote them


class Usage(TypedDict):
    """Tokens counted by the provider: finite, not negative, and the sum is not checked."""

    input: float
    output: float
    totalTokens: float


class UserMessage(TypedDict):
    """What a person said."""

    role: Literal["user"]
    content: list[TextBlock]
    timestamp: float  # milliseconds since 1970


StopReason: TypeAlias = Literal["stop", "length", "toolUse", "error", "aborted"]


class AssistantMessage(TypedDict):
    """What the model said and which tools it asked for."""

    role: Literal["assistant"]
    content: list[TextBlock | ToolCallBlock]
    provider: str
    model: str
    usage: Usage
    stopReason: StopReason
    timestamp: float
    errorMessage: NotRequired[str]


class ToolResultMessage(TypedDict):
    """What a tool gave back."""

    role: Literal["toolResult"]
    toolCallId: str
    toolName: str
    content: list[TextBlock]
    isError: bool
    timestamp: float
    details: NotRequired[JsonValue]  # for the program, not for the model


AgentMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage


class MessageEntry(TypedDict):
    """An entry that keeps a finished message."""

    id: str  # unique in its session, not blank
    parentId: str | None  # the entry that this one continues; None for a root
    timestamp: float
    type: Literal["message"]
    message: AgentMessage


class MetadataEntry(TypedDict):
    """An entry that keeps a fact about the session, which no model sees."""

    id: str
    parentId: str | None
    timestamp: float
    type: Literal["metadata"]
    key: str
    value: JsonValue


SessionEntry: TypeAlias = MessageEntry | MetadataEntry


class SessionWarning(TypedDict):
    """Something that a reader should know and that stops nobody from reading."""

    code: Literal["unterminated_tail"]
    line: int  # physical line, counted from 1


class RecoveredSession(TypedDict):
    """What a session file holds: its committed entries in file order, and at most one warning."""

    entries: list[SessionEntry]
    warnings: list[SessionWarning]

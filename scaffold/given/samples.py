"""Small sessions to try things on, and the functions that build their entries. Each call returns new objects."""

from __future__ import annotations

from scaffold.given.entries import (
    AgentMessage,
    AssistantMessage,
    JsonValue,
    MessageEntry,
    MetadataEntry,
    SessionEntry,
    StopReason,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)

NOON = 1_760_000_000_000  # milliseconds since 1970; the samples have no clock


def text(words: str) -> TextBlock:
    return {"type": "text", "text": words}


def tool_call(call_id: str, name: str, arguments: JsonValue) -> ToolCallBlock:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def user(words: str) -> UserMessage:
    return {"role": "user", "content": [text(words)], "timestamp": NOON}


def assistant(*blocks: TextBlock | ToolCallBlock) -> AssistantMessage:
    """Return what the model said. It stops for a tool if one of the blocks is a tool call."""
    stop_reason: StopReason = "toolUse" if any(block["type"] == "toolCall" for block in blocks) else "stop"
    return {
        "role": "assistant",
        "content": list(blocks),
        "provider": "scripted",
        "model": "parrot-1",
        "usage": {"input": 12, "output": 5, "totalTokens": 17},
        "stopReason": stop_reason,
        "timestamp": NOON,
    }


def tool_result(call: ToolCallBlock, words: str, details: JsonValue = None, *, is_error: bool) -> ToolResultMessage:
    """Return a tool's answer to a call. `details` are for the program, and are left out if they are None."""
    result: ToolResultMessage = {
        "role": "toolResult",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "content": [text(words)],
        "isError": is_error,
        "timestamp": NOON,
    }
    if details is not None:
        result["details"] = details
    return result


def message_entry(entry_id: str, parent_id: str | None, message: AgentMessage) -> MessageEntry:
    return {"id": entry_id, "parentId": parent_id, "timestamp": NOON, "type": "message", "message": message}


def metadata_entry(entry_id: str, parent_id: str | None, key: str, value: JsonValue) -> MetadataEntry:
    return {"id": entry_id, "parentId": parent_id, "timestamp": NOON, "type": "metadata", "key": key, "value": value}


def chapter_session() -> list[SessionEntry]:
    """Return the chapter's session: two attempts under one question, and a note under the second.

    a user
    ├── b assistant, calls c1
    │   └── r result of c1
    └── d assistant, text only
        └── m metadata
    """
    c1 = tool_call("c1", "read", {"path": "notes.txt", "range": [1, 20]})
    return [
        message_entry("a", None, user("What do my notes say?")),
        message_entry("b", "a", assistant(text("I'll look."), c1)),
        message_entry("r", "b", tool_result(c1, "Buy milk.", {"bytes": 9}, is_error=False)),
        message_entry("d", "a", assistant(text("I can't read files."))),
        metadata_entry("m", "d", "label", "second attempt"),
    ]


def retry_session() -> list[SessionEntry]:
    """Return a longer session: a tool that fails, a second try, and a question asked again in another way.

    start metadata
    └── ask user
        ├── try assistant, calls t1
        │   └── fail result of t1, an error
        │       └── again assistant, calls t2 and t3
        │           └── two result of t2
        │               └── three result of t3
        │                   └── answer assistant
        └── (asked again)  ask2 user, a child of start
    """
    t1 = tool_call("t1", "search", {"query": "Straße"})
    t2 = tool_call("t2", "search", {"query": "street", "limit": 2})
    t3 = tool_call("t3", "read", ["a.txt", None, True, 0.5])
    return [
        metadata_entry("start", None, "session", {"cwd": "/home/ada", "tools": ["read", "search"]}),
        message_entry("ask", "start", user("Where is the word for street? 🛣️")),
        message_entry("try", "ask", assistant(text("Searching."), t1)),
        message_entry("fail", "try", tool_result(t1, "no index\nin this folder", {"code": 2}, is_error=True)),
        message_entry("again", "fail", assistant(t2, t3)),
        message_entry("two", "again", tool_result(t2, "a.txt:3", {"hits": [{"line": 3}]}, is_error=False)),
        message_entry("three", "two", tool_result(t3, "道 = street", is_error=False)),
        message_entry("answer", "three", assistant(text("In a.txt, line 3: 道."))),
        message_entry("ask2", "start", user("Just tell me the word, please.")),
    ]

"""A small scripted agent, to see where the store sits.

A run gives out events: many, early, and some of things that are only half done. What it has finished comes as
`message_end`, with a complete message. Only these are kept. (Chapter 09 for the run, chapter 10 for what is kept.)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Literal, Protocol, TypedDict

from scaffold.given import samples
from scaffold.given.entries import AgentMessage, MessageEntry, ToolCallBlock, ToolResultMessage


class TextDelta(TypedDict):
    """A piece of a text that is still being written."""

    type: Literal["text_delta"]
    text: str


class ToolStart(TypedDict):
    """A tool has begun to work."""

    type: Literal["tool_start"]
    call: ToolCallBlock


class MessageEnd(TypedDict):
    """A message is finished, and will not change again."""

    type: Literal["message_end"]
    message: AgentMessage


Event = TextDelta | ToolStart | MessageEnd


class ScriptedAgent:
    """An agent whose model says what a script says, line by line, and whose only tool reads a file of notes.

    A line that begins with `read ` is a tool call. `run` takes up wherever the messages that it is given end, so that
    any branch of a session can be continued.
    """

    def __init__(self, script: Iterable[str], notes: dict[str, str]) -> None:
        self._script = iter(script)
        self._notes = notes

    async def run(self, messages: list[AgentMessage]) -> AsyncIterator[Event]:
        """Answer the last message: call tools as long as the script says so, then say something."""
        seen = len(messages)
        for line in self._script:
            for word in line.split():
                yield {"type": "text_delta", "text": f"{word} "}
                await asyncio.sleep(0)
            if not line.startswith("read "):
                yield {"type": "message_end", "message": samples.assistant(samples.text(line))}
                return
            call = samples.tool_call(f"call-{seen}", "read", {"path": line.removeprefix("read ")})
            seen += 2
            yield {"type": "message_end", "message": samples.assistant(call)}
            yield {"type": "tool_start", "call": call}
            yield {"type": "message_end", "message": self._read(call, line.removeprefix("read "))}

    def _read(self, call: ToolCallBlock, path: str) -> ToolResultMessage:
        found = path in self._notes
        return samples.tool_result(call, self._notes.get(path, "no such file"), {"path": path}, is_error=not found)


class Appends(Protocol):
    """A store, as far as a run needs one."""

    def append(self, entry: object) -> asyncio.Future[None]: ...


async def keep_run(run: AsyncIterator[Event], store: Appends, parent_id: str | None, ids: Iterator[str]) -> str | None:
    """Append what a run finishes, each message under the one before. Return the id of the last: the new leaf.

    These few lines are all there is between an agent and its history.
    """
    async for event in run:
        if event["type"] == "message_end":
            entry: MessageEntry = samples.message_entry(next(ids), parent_id, event["message"])
            await store.append(entry)
            parent_id = entry["id"]
    return parent_id

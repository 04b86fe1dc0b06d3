"""What people do to code that is not theirs, and code that is like nothing else."""

from __future__ import annotations

import ast
import io
import keyword
import random
import tokenize
from collections.abc import Callable


def renamed(text: str) -> str:
    names: dict[str, str] = {}
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        value = token.string
        if token.type == tokenize.NAME and not keyword.iskeyword(value) and not keyword.issoftkeyword(value):
            value = names.setdefault(value, f"other_{len(names)}")
        tokens.append((token.type, value))
    return str(tokenize.untokenize(tokens))


def reformatted(text: str) -> str:
    return ast.unparse(ast.parse(text))


def reordered(text: str) -> str:
    module = ast.parse(text)
    module.body.sort(key=lambda node: ast.dump(node)[::-1])
    return ast.unparse(module)


def commented(text: str) -> str:
    return "".join(
        f"{line}  # line {number}\n" if line.endswith(":") else f"{line}\n\n"
        for number, line in enumerate(text.splitlines())
    )


def undocumented(text: str) -> str:
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = [each for each in node.body if each is not node.body[0] or not ast.get_docstring(node)]
            node.body = node.body or [ast.Pass()]
    return ast.unparse(module)


def other_values(text: str) -> str:
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        value = {tokenize.NUMBER: "77", tokenize.STRING: "'other'"}.get(token.type, token.string)
        tokens.append((token.type, value))
    return str(tokenize.untokenize(tokens))


DISGUISES: dict[str, Callable[[str], str]] = {
    "unchanged": str,
    "renamed": renamed,
    "reformatted": reformatted,
    "reordered": reordered,
    "commented": commented,
    "without docstrings": undocumented,
    "other numbers and strings": other_values,
    "all of it": lambda text: commented(renamed(reordered(undocumented(text)))),
}


def block(name: str, *, lines: int = 12) -> str:
    """Return code whose tokens are unlike those of a block with another name."""
    draw = random.Random(name)  # noqa: S311 (the same each time is what is wanted)
    rows = [
        " ".join(f"{draw.choice('+-*/%@&|^')} {draw.choice(['x', '1', '[x]'])}" for _ in range(10))
        for _ in range(lines)
    ]
    return "".join(f"x = x {row}\n" for row in rows)

"""Whether a session is still at work on a task, as the active context notes it: its work may change any moment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.fields import with_code
from verify.markdown import Block, BlockKind, CodeSpan, Range, in_ranges

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Task

STRUCK: Final = "~~"


class ActiveSession(NamedTuple):
    """A line that says so: path relative to the workspace's root, line from 1, and the command that is at work."""

    path: str
    line: int
    command: str

    def warning(self, task_id: str) -> str:
        return f"{self.path}:{self.line} notes an active {self.command} session on {task_id}: verify when it has ended"


class SessionRules(NamedTuple):
    """``verify.sessions`` as code uses it: the kind of document that notes sessions, and their commands."""

    kind: str
    commands: frozenset[str]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> SessionRules:
        value = cast("Mapping[str, Any]", policies.data("verify.sessions"))
        return cls(value["kind"], frozenset(value["commands"]))


def active_session(task: Task, rules: SessionRules) -> ActiveSession | None:
    """The first line with the task's id and a session's command, each as a whole word; null where there is none.

    What is struck out, commented out or code of its own says nothing. A longer id is another task's.
    """
    for artifact in task.all_of(rules.kind):
        if task.id not in artifact.text or not any(command in artifact.text for command in rules.commands):
            continue
        for block in artifact.blocks:
            for line, text in _lines(block):
                command = next((word for word in _commands().findall(text) if word in rules.commands), None)
                if command is not None and task.id in _ids().findall(text):
                    return ActiveSession(artifact.path, line, command)
    return None


def _lines(block: Block) -> Iterator[tuple[int, str]]:
    """The lines of a block as a reader sees them, inline code in its place and what is struck out left out."""
    if block.kind is BlockKind.ROW:
        cells = (_standing(cell.text, cell.spans) for cell in block.cells)
        yield block.line, " | ".join(with_code(text, 0, spans) for text, spans in cells)
        return
    text, spans = _standing(block.text, block.spans)
    for line in block._replace(text=text, spans=spans).prose_lines():
        yield line.number, with_code(line.text, 0, line.spans)


def _standing(text: str, spans: tuple[CodeSpan, ...]) -> tuple[str, tuple[CodeSpan, ...]]:
    """A text with what is struck out made blank (length and line breaks stay), and the code that stands elsewhere."""
    struck = tuple(_struck(text))
    parts, done = [], 0
    for start, end in struck:
        parts += [text[done:start], "".join(char if char == "\n" else " " for char in text[start:end])]
        done = end
    return "".join((*parts, text[done:])), tuple(span for span in spans if not in_ranges(span.offset, struck))


def _struck(text: str) -> Iterator[Range]:
    """From each mark to its partner, the marks included; one without a partner is only text."""
    marks = [match.start() for match in re.finditer(re.escape(STRUCK), text)]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        yield start, end + len(STRUCK)


@cache
def _ids() -> re.Pattern[str]:
    return re.compile(r"[\w-]+")


@cache
def _commands() -> re.Pattern[str]:
    return re.compile(r"[\w/-]+")

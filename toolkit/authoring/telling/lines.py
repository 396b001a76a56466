"""The lines of an explanation, and what several of its parts say alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolkit.authoring.telling.phrases import outputs_text
from toolkit.policy.language.rules import Row
from toolkit.policy.tables import Decision


class Line(NamedTuple):
    """A line of text at its indent; a ``title`` stands out."""

    text: str
    indent: int = 0
    title: bool = False


def joined(parts: Sequence[str]) -> str:
    """Several statements in one sentence."""
    if len(parts) < 2:
        return "".join(parts)
    if any("," in part for part in parts):
        return "; ".join(parts[:-1]) + "; and " + parts[-1]
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def place(row: Row) -> str:
    """The layer, file and line of a row."""
    line = f":{row.mark.line}" if row.mark.line else ""
    return f"{row.layer} layer, {row.mark.file}{line}"


def answer(decision: Decision) -> str:
    """What was decided: ``tier "high", reason "large"``."""
    return outputs_text(decision.outputs.items())

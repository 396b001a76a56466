"""Whether a text names a task: a commit's message, the name of a branch."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def names_task(text: str, task_id: str) -> bool:
    """Whether the id stands in a message as a whole token.

    Not inside a word, and not as part of a longer id or of a file's name that begins with it: ``ABC-1`` is not in
    ``ABC-12``, ``XABC-1``, ``ABC-1-FU-x`` or ``plans/ABC-1-plan.md``. Case counts.
    """
    return any(
        not _goes_on(text[max(0, start - 2) : start][::-1]) and not _goes_on(text[end : end + 2])
        for start, end in _places(text, task_id)
    )


def branch_names_task(name: str, task_id: str, followers: Collection[str]) -> bool:
    """Whether the name of a branch holds the id, after no letter or digit, before its end or one of ``followers``."""
    return any(
        not name[max(0, start - 1) : start].isalnum() and (end == len(name) or name[end] in followers)
        for start, end in _places(name, task_id)
    )


def _goes_on(beside: str) -> bool:
    """Whether a token goes on: with a letter, a digit or ``_``, or with one of these behind a hyphen."""
    return _in_word(beside[:1]) or (beside[:1] == "-" and _in_word(beside[1:]))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _places(text: str, task_id: str) -> Iterator[tuple[int, int]]:
    at = text.find(task_id)
    while at >= 0:
        yield at, at + len(task_id)
        at = text.find(task_id, at + len(task_id))

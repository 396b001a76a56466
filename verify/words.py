"""Word lists of a policy as code compares them, and lists of texts in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolkit.reporting.visible import visible


def folded(words: Iterable[str]) -> frozenset[str]:
    """The words as they compare in any case."""
    return frozenset(word.casefold() for word in words)


def folded_in_order(words: Iterable[str]) -> tuple[str, ...]:
    """The same where their order says something."""
    return tuple(word.casefold() for word in words)


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    """The words in an order in which none hides a longer one that begins with it."""
    return tuple(sorted(words, key=len, reverse=True))


def either(words: Iterable[str]) -> str:
    """A pattern of any one of the words, each taken literally; no word hides a longer one."""
    return "|".join(map(re.escape, longest_first(words)))


def listed(texts: Sequence[str], most: int = 3) -> str:
    """The first of some texts, and how many more there are."""
    return ", ".join(visible(text) for text in texts[:most]) + and_more(len(texts) - most)


def and_more(count: int) -> str:
    """`` and 3 more`` for what goes on behind a list that names its first members; empty for nothing."""
    return f" and {count} more" if count > 0 else ""


def with_others(count: int) -> str:
    """`` (and 3 more)`` for what goes on behind the first of several; empty for nothing."""
    return f" (and {count} more)" if count > 0 else ""

"""Texts and lists on which opaque conditions were tried: the only grounds on which a pattern is said to hold.

What is made up here is made up to be likely; nothing relies on it. A text counts only after every test was asked of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Items, Not, OneOf, Pattern
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import BooleanType, IntegerType, TermType, Type

MAX_TEXTS = 400  # that are tried for one name
MAX_PATTERNS = 12  # of one condition that texts are made from
MAX_TOGETHER = 4  # patterns from whose texts one text is composed
MAX_COUNT = 100  # items of a list that is made to satisfy a count
PLAIN = ("other", "", "a", "x/y", "x/y/z.txt", ".x")
# What stands for ``*``, for ``**/``, and for all that is below a directory.
_FILLINGS = (("x", "x/", "x"), ("x", "", "x"), ("", "", "x"), ("x", "x/y/", "x/y"))
_ESCAPED = {"d": "0", "s": " ", "w": "a", "S": "a", "D": "a", "W": " ", "b": "", "B": "", "A": "", "z": "", "t": "\t"}


def texts(constants: Iterable[str], wanted: Sequence[Condition], others: Sequence[Condition]) -> Iterator[str]:
    """Texts to try: the constants, then texts in which the ``wanted`` patterns may be found, alone and together."""
    made: list[Iterator[str]] = [iter(tuple(constants))]
    spelled = [list(_spelled(condition)) for condition in wanted[:MAX_TOGETHER]]
    if len(spelled) > 1:
        made.append(islice(_together(spelled), MAX_TEXTS // 2))
    made += [iter(one) for one in spelled]
    made.append(iter(PLAIN))
    made += [_spelled(condition) for condition in others]
    return islice((text for part in made for text in part), MAX_TEXTS)


def _together(spelled: Sequence[Sequence[str]]) -> Iterator[str]:
    """One text of each, composed: one after the other, a path below another, a line each."""
    for chosen in product(*(one[:4] for one in spelled)):
        for ordered in (chosen, chosen[::-1]):
            yield "".join(ordered)
            yield "/".join(part.strip("/") for part in ordered)
            head, tail = ordered[0], ordered[-1]
            yield head.rpartition("/")[0] + "/" + tail.rpartition("/")[2]
            yield head.rpartition("/")[0] + "/" + tail
            yield "\n".join(ordered)


def _spelled(condition: Condition) -> Iterator[str]:
    if isinstance(condition, Pattern):
        for pattern in condition.patterns[:MAX_PATTERNS]:
            if condition.operator == "glob":
                yield from dict.fromkeys(_glob_text(pattern, *filling) for filling in _FILLINGS)
            else:
                yield _pattern_text(pattern)


def _glob_text(glob: str, star: str, deep: str, below: str) -> str:
    """A path that a glob may match: its literals, filled in where it has wildcards."""
    made = ""
    body = glob.removeprefix("/")
    at = 0
    while at < len(body):
        character = body[at]
        if body.startswith("**/", at):
            made, at = made + deep, at + 3
        elif character == "*":
            stars = 2 if body.startswith("**", at) else 1
            made, at = made + (below if stars == 2 else star), at + stars
        elif character == "?":
            made, at = made + "x", at + 1
        elif character == "[":
            member, at = _member(body, at)
            made += member
        else:
            at += character == "\\"
            made, at = made + body[at : at + 1], at + 1
    return made + below if made.endswith("/") else made


def _pattern_text(pattern: str) -> str:
    """A text in which a regular expression may be found, as far as that is a matter of reading on."""
    made = ""
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            following = pattern[at + 1 : at + 2]
            made += _ESCAPED.get(following, following)
            at += 1
        elif character == "[":
            member, at = _member(pattern, at)
            made += member
            continue
        elif character == "(" and pattern.startswith("(?", at):
            at = max(at, _first_of(pattern, ":)", at))
        elif character == "|":
            close = pattern.find(")", at)
            if close < 0:
                break
            at = close
        elif character == "{":
            at = max(at, pattern.find("}", at))
        elif character == ".":
            made += "a"
        elif character not in "^$*+?()":
            made += character
        at += 1
    return made


def _member(text: str, at: int) -> tuple[str, int]:
    """A character that a bracket expression may allow, and where the expression ends."""
    close = text.find("]", at + 2)
    inner = text[at + 1 : close]
    return ("~" if inner[:1] in ("!", "^") else inner.replace("\\", "")[:1]), (close + 1 if close > 0 else len(text))


def _first_of(text: str, wanted: str, at: int) -> int:
    return min((place for place in (text.find(one, at) for one in wanted) if place >= 0), default=len(text))


def lists(kind: Type, wanted: Sequence[Condition], unwanted: Sequence[Condition]) -> Iterator[list[Scalar]]:
    """Lists to try: few items that do what is ``wanted``, none that does the ``unwanted``, as many as are counted."""
    asked = [one for one in (*wanted, *unwanted) if isinstance(one, Items)]
    inner = [one.inner for one in asked if one.operator != "count"]
    tests = [one.inner.compile() for one in unwanted if isinstance(one, Items) and one.operator == "some"]
    good = [item for item in _items(kind, inner) if not any(test(item) for test in tests)]
    needed = [one.inner.compile() for one in wanted if isinstance(one, Items) and one.operator == "some"]
    made = [next((item for item in good if holds(item)), None) for holds in needed]
    listed: list[Scalar] = list(dict.fromkeys(item for item in made if item is not None))
    yield listed
    for count in sorted(set(_counts(asked))):
        if len(listed) < count <= MAX_COUNT and good:
            yield listed + [good[0]] * (count - len(listed))
    for item in good[:MAX_COUNT]:
        yield [*listed, item]


def _items(kind: Type, conditions: Sequence[Condition]) -> list[Scalar]:
    if isinstance(kind, TermType):
        return list(kind.terms)
    if isinstance(kind, BooleanType):
        return [False, True]
    named = [value for condition in conditions for value in _named(condition)]
    if isinstance(kind, IntegerType):
        near = (value + step for value in (0, *named) if type(value) is int for step in (0, 1, -1))
        return [value for value in dict.fromkeys(near) if kind.accepts(value)]
    constants = [value for value in named if isinstance(value, str)]
    patterns = [part for condition in conditions for part in _patterns(condition)]
    made = [text for one in patterns for text in texts((), [one], ())]
    items: list[Scalar] = [*dict.fromkeys((*texts(constants, patterns, ()), *made))]
    return items[: 2 * MAX_TEXTS]


def _patterns(condition: Condition) -> Iterator[Pattern]:
    if isinstance(condition, Pattern):
        yield condition
    elif isinstance(condition, Not):
        yield from _patterns(condition.inner)
    elif isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _patterns(part)


def _named(condition: Condition) -> Iterator[Scalar]:
    """The constants of a condition."""
    if isinstance(condition, (Equals, Compare)):
        yield condition.value
    elif isinstance(condition, OneOf):
        yield from condition.values
    elif isinstance(condition, Not):
        yield from _named(condition.inner)
    elif isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _named(part)


def _counts(conditions: Iterable[Items]) -> Iterator[int]:
    for condition in conditions:
        if condition.operator == "count":
            for value in _named(condition.inner):
                if type(value) is int:
                    yield from (value - 1, value, value + 1)

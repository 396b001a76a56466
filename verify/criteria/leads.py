"""How a line of prose, a heading or a cell begins with a label: the lead of a possible definition."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from verify.criteria.labels import Mention, fold, mention_at
from verify.criteria.pieces import plain_words
from verify.criteria.rules import CriteriaRules


class Lead(NamedTuple):
    """A text that begins with labels: which, where the first one starts, and how the text goes on.

    ``separated`` says that a colon, dash, full stop or bracket sets them off, ``bare`` that nothing comes after them,
    ``listed`` that a bullet or a number stands before them (one that is no list item to Markdown), ``cites`` that they
    are struck out or that their text begins with a reference ("see there").
    """

    labels: tuple[str, ...]
    start: int
    separated: bool
    bare: bool
    listed: bool
    cites: bool


def read_lead(text: str, rules: CriteriaRules) -> Lead | None:
    """The lead of ``text``, or null where it does not begin with a label.

    Before the label may stand punctuation (a box, a bracket, a tick), an outline number, a word such as "Criterion",
    and ids of another kind that a joiner sets off (``US-1 / AC-8``); not a sign that points to it, such as an arrow.
    A possessive ("AC-1's") is no lead.
    """
    folded = fold(text, rules.labels)
    start = _label_start(folded, rules)
    mention = mention_at(folded, start, rules.labels)
    if mention is None:
        return None
    labels, end = dict.fromkeys(mention.labels), mention.end
    while (following := _joined(folded, end, next(reversed(labels)), rules)) is not None:
        labels.update(dict.fromkeys(following.labels))
        end = following.end
    rest = _after().match(folded, end)
    assert rest is not None  # every part of the pattern is optional
    if rest["possessive"] or _is_link_target(folded, start, rest.end(), rest["separator"]):
        return None
    bare = not any(char.isalnum() for char in folded[rest.end() :])
    numbered = ")" in rest["closing"] and "(" not in folded[:start]  # AC-1) text
    before = folded[:start]
    listed = before[-1:].isspace() and (_has_digit(before) or any(sign in before for sign in rules.definitions.bullets))
    struck = any(sign in before for sign in rules.definitions.strikes)
    cites = struck or begins_with_reference(text[rest.end() :], rules)
    return Lead(tuple(labels), start, rest["separator"] is not None or numbered, bare, listed, cites)


def begins_with_reference(text: str, rules: CriteriaRules) -> bool:
    """Whether the text of a criterion only says where that is defined."""
    definitions = rules.definitions
    return f"{plain_words(text[: definitions.reference_reach])} ".startswith(definitions.references)


def _label_start(text: str, rules: CriteriaRules) -> int:
    """Where a label would have to begin."""
    before = _before().match(text)
    assert before is not None
    if any(sign in before.group() for sign in rules.definitions.pointers):
        return len(text)
    start = before.end()
    for word in rules.definitions.lead_words:
        if text[start : start + len(word)].casefold() == word:
            gap = _gap().match(text, start + len(word))
            start = gap.end() if gap else start
            break
    while mention_at(text, start, rules.labels) is None and (other := _other_id().match(text, start)):
        start = other.end()
    return start


def _joined(text: str, end: int, label: str, rules: CriteriaRules) -> Mention | None:
    """A further member of a list of labels.

    After ``label`` it may be a number alone, if more of the list or a sign that ends it follows.
    """
    for joiner in rules.definitions.joiners:
        gap = _spaces().match(text, end)
        at = gap.end() if gap else end
        if text.startswith(joiner, at):
            following = _spaces().match(text, at + len(joiner))
            start = following.end() if following else at
            mention = mention_at(text, start, rules.labels)
            if mention is not None:
                return mention
            number = _lone_number().match(text, start)
            family = label.rstrip("0123456789")
            if number is not None and family != label:
                return Mention(start, number.end(), (family + number.group(),))
    return None


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _is_link_target(text: str, start: int, end: int, separator: str | None) -> bool:
    """``[AC-1]: https://…`` defines where a link leads, not a criterion."""
    if separator is None or not text[:start].endswith("["):
        return False
    target = text[end:].split(maxsplit=1)
    return bool(target) and (target[0][0] in "#<" or "/" in target[0])


@cache
def _before() -> re.Pattern[str]:
    """Punctuation, then perhaps an outline number (``1.``, ``3.2``, ``4)``)."""
    return re.compile(r"[\W_]*+(?:[0-9]{1,4}+(?:\.[0-9]{1,4}+)*+[.)]?[ \t]+[\W_]*+)?")


@cache
def _other_id() -> re.Pattern[str]:
    """An id of another kind and what joins it to the next (``US-1 /``)."""
    return re.compile(r"[A-Z][A-Z0-9]*+(?:-[A-Z0-9]++)++[ \t]*+[/&+,;|·][ \t]*+")


@cache
def _lone_number() -> re.Pattern[str]:
    """A number in a list of labels: the end, a separator or another joiner comes next."""
    return re.compile(r"[0-9]{1,6}+(?=[ \t]*+(?:$|[:：|)\]/&+,;]|[—–-]{1,3}(?:\s|$)))")


@cache
def _gap() -> re.Pattern[str]:
    return re.compile(r"[ \t]*+[:#№]?[\s*_]*+")


@cache
def _spaces() -> re.Pattern[str]:
    return re.compile(r"[ \t]*+")


@cache
def _after() -> re.Pattern[str]:
    """What may stand between a label and its text: closing marks, a remark in brackets, a separator."""
    remark = r"(?:[ \t]*+(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\]|\{[^{}\n]{0,80}\}))?"
    separator = r"(?P<separator>[ \t]*+[:：|]|[ \t]+[—–-]{1,3}(?=[ \t]|$)|[—–](?=[ \t])|[.)](?=\s|$))?"
    return re.compile(rf"(?P<possessive>['’]\w)?(?P<closing>[\])}}\"'»”*_~]*+){remark}[\])\"'»”*_~]*+{separator}")

"""What a comparison of two sets of policies found, in words: each changed decision with its direction first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from toolkit.authoring.directions import MIXED, WEAKER
from toolkit.commands.interface import json_text

if TYPE_CHECKING:
    from toolkit.authoring.comparison import Change, Comparison
    from toolkit.sources.sides import Side

# Each direction with what it means, in the order in which they are counted.
DIRECTIONS: Final = {
    "weaker": "less strict now",
    "stronger": "stricter now",
    "mixed": "less strict in one thing and stricter in another",
    "other": "different, with no order between the two",
    "unknown": "it could not be shown in which direction",
}
JUDGED: Final = (WEAKER, MIXED, "unknown")  # directions that say already that something may be weaker
MARK: Final = "  (!)"  # of a change that may be weaker although its direction does not say so
TRANSITION: Final = "transition"
DECIDED: Final = ("decision", TRANSITION, "sequence")  # kinds of changes that are answers to facts
ERROR: Final = "error"  # the one key of what declines to decide
NO_ROW: Final = "(none)"
ABSENT: Final = "(absent)"
WIDTH: Final = max(map(len, DIRECTIONS))
MAX_VALUE = 60  # characters of one value
MAX_FACTS = 6  # facts of a witness
MAX_OUTPUTS = 6  # outputs that differ
SHORT = 12  # digits of a hash


def told(before: Side, after: Side, found: Comparison) -> Iterator[str]:
    """The lines: what is compared, each change by its document, what could not be shown, and the sum of it."""
    yield f"from {_side(before)}"
    yield f"to   {_side(after)}"
    for document, changes in groupby(found.changes, key=lambda change: change.document):
        yield ""
        if document:
            yield f"{document}  {_version(before, document)} -> {_version(after, document)}"
        for change in changes:
            yield from _change(change)
    if found.unproved:
        yield ""
        yield "could not be shown:"
        for one in found.unproved:
            yield f"  {' '.join(filter(None, (one.document, one.subject)))}: {one.reason}"
    yield ""
    yield from summary(found)


def summary(found: Comparison) -> Iterator[str]:
    """The sum: how many decisions change in which direction, with what that means; and what else is not the same."""
    decisions = [change.direction for change in found.changes if change.kind in DECIDED]
    others = [change.direction for change in found.changes if change.kind not in DECIDED]
    if decisions:
        yield f"{len(decisions)} decision{'s change' if len(decisions) > 1 else ' changes'}: {_counted(decisions)}"
    else:
        yield "no decision changes" if found.complete else "no decision is known to change"
    if others:
        yield f"{len(others)} more of what is declared or said: {_counted(others)}"
    unjudged = sum(change.may_weaken and change.direction not in JUDGED for change in found.changes)
    if unjudged:
        yield f"{MARK.strip()} {unjudged} of these may be weaker: no order says otherwise"
    if not found.complete:
        yield "it is not known whether other decisions change: see what could not be shown"
    if found.changed and not found.changes and found.complete:
        yield f"not the same, and decided alike: {', '.join(found.changed)}"


def _counted(directions: list[str]) -> str:
    counts = Counter(directions)
    return ", ".join(f"{counts[name]} {name} ({meaning})" for name, meaning in DIRECTIONS.items() if counts[name])


def _side(side: Side) -> str:
    told = [side.revision[:SHORT]] if side.revision is not None else [side.kind] if side.kind != side.name else []
    told += [f"profile {side.policies.profile}"]
    return f"{side.name} ({', '.join(told)})"


def _version(side: Side, document: str) -> str:
    return side.policies.entry(document).head.version if document in side.policies.ids else ABSENT


def _change(change: Change) -> Iterator[str]:
    mark = MARK if change.may_weaken and change.direction not in JUDGED else ""
    if change.kind not in DECIDED:
        yield f"  {change.direction:{WIDTH}}  {change.message}{mark}"
        return
    yield f"  {change.direction:{WIDTH}}  {_rows(change)}   {'; '.join(_outputs(change.before, change.after))}{mark}"
    if change.witness is not None:
        yield f"  {'':{WIDTH}}  {_facts(change.witness)}"


def _rows(change: Change) -> str:
    before, after = change.row_before, change.row_after
    rows = f"row {before}" if before == after else f"row {before or NO_ROW} -> {after or NO_ROW}"
    return f"{change.subject}: {rows}" if change.kind == TRANSITION else rows


def _outputs(before: object, after: object) -> Iterator[str]:
    """The outputs that differ, each with what it was and what it is; whole answers where a side gives none."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping) or _declines(before) != _declines(after):
        yield f"{_answer(before)} -> {_answer(after)}"
        return
    names = [name for name in {**before, **after} if before.get(name, ABSENT) != after.get(name, ABSENT)]
    for name in names[:MAX_OUTPUTS]:
        yield f"{name}: {_difference(before.get(name, ABSENT), after.get(name, ABSENT))}"
    if len(names) > MAX_OUTPUTS:
        yield f"and {len(names) - MAX_OUTPUTS} more"


def _declines(answer: Mapping[str, object]) -> bool:
    return answer.keys() == {ERROR}


def _answer(answer: object) -> str:
    if answer is None:
        return "no answer"
    if not isinstance(answer, Mapping):
        return _value(answer)
    if _declines(answer):
        return f"declines ({answer[ERROR]})"
    return _clipped(", ".join(f"{name} {_value(value)}" for name, value in answer.items()))


def _difference(before: object, after: object) -> str:
    """What a value was and is; of long lists what is there no more, and what is new."""
    if isinstance(before, list) and isinstance(after, list) and len(json_text([before, after])) > MAX_VALUE:
        was, now = ({_value(item): None for item in items} for items in (before, after))
        gone, new = [item for item in was if item not in now], [item for item in now if item not in was]
        parts = [f"{word} {_clipped(', '.join(items))}" for word, items in (("without", gone), ("with", new)) if items]
        if parts:
            return ", ".join(parts)
    return f"{_value(before)} -> {_value(after)}"


def _facts(witness: Mapping[str, object]) -> str:
    return f"for {_named(witness)}" if witness else "for all facts"


def _named(facts: Mapping[str, object]) -> str:
    """Facts, or fields of a record, with their names; some of them where there are many."""
    shown = [f"{name} {_fact(value)}" for name, value in islice(facts.items(), MAX_FACTS)]
    more = len(facts) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


def _fact(value: object) -> str:
    """A value; of a list of one record, the record by its fields."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        return f"[{_named(value[0])}]"
    return _clipped(json_text(value))


def _value(value: object) -> str:
    return _clipped(value if isinstance(value, str) else json_text(value))


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}..."

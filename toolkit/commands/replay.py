"""``dr-policy replay``: past decisions asked again of the policies in force, and which of them would change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    UNDETERMINED,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    json_text,
    policy_from_option,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from toolkit.authoring.past import Past
    from toolkit.authoring.replaying import Replay, Replayed, Tally

MAX_TOLD: Final = 20  # questions to one document, and problems, that people are told
MAX_PLACES: Final = 3  # where one question was asked
MAX_VALUE: Final = 60  # characters of one value
NOTHING: Final = "no past decisions were found, so nothing is known of what would change"


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path, readable=False))
@policy_from_option
@common_options
@fails_clearly
def replay(paths: tuple[Path, ...], policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Ask past decisions again of the policies in force, and tell which would change.

    PATH is an audit log, a folder of them, or a file *.jsonl with one decision a line ({"document": ID, "facts": {..},
    "outputs": {..}, "row": ID}). Without one: the logs that are kept around here.

    Exit 1 if some would change, whatever could not be read besides. If none does: 2 for a line that is no decision, 3
    where something else could not be read or asked, or there was nothing to ask.
    """
    from toolkit.authoring.replaying import replay as replayed
    from toolkit.commands.past import gather
    from toolkit.sources import load_policies

    start = cwd.resolve()
    policies = load_policies(start, policy_from=policy_from).policies
    past = gather(start, paths, policies)
    result = replayed(policies, past.decisions)
    if as_json:
        write_json("dr-policy.replay/v1", _document(result, past))
    else:
        from toolkit.reporting.visible import visible

        write_text("\n".join(map(visible, _lines(result, past))))
    sys.exit(_status(result, past))


def _status(result: Replay, past: Past) -> int:
    """That some would change is sure, whatever could not be read besides; a line that is no decision is bad input."""
    if result.total.changed:
        return FAILS
    if any(problem.bad_input for problem in past.problems):
        return WRONG_USAGE
    return HOLDS if _is_complete(result, past) else UNDETERMINED


def _is_complete(result: Replay, past: Past) -> bool:
    """Whether there was something to ask, and all of it was."""
    return bool(result.questions) and not past.problems and not result.total.undecidable


def _document(result: Replay, past: Past) -> dict[str, object]:
    from toolkit.authoring.replaying import CHANGED, SAME, UNDECIDABLE

    complete = _is_complete(result, past)
    return {
        "changes": [_change(one) for one in result.of(CHANGED)],
        "complete": complete,
        "documents": [{"document": name, **_counts(tally)} for name, tally in result.tallies().items()],
        "empty": list(past.empty),
        "ok": complete and not result.total.changed,
        "problems": [problem.to_json() for problem in past.problems],
        "records": past.records,
        "renamed": [_change(one) for one in result.of(SAME) if one.row_differs],
        "total": _counts(result.total),
        "undecidable": [_undecidable(one) for one in result.of(UNDECIDABLE)],
    }


def _counts(tally: Tally) -> dict[str, object]:
    counts = {"asked": tally.asked, "changed": tally.changed, "same": tally.same, "undecidable": tally.undecidable}
    return {**counts, **tally.directions}


def _question(one: Replayed) -> dict[str, object]:
    return {
        "at": one.past.at,
        "document": one.past.document,
        "facts": dict(one.past.facts),
        "places": [origin._asdict() for origin in one.origins],
        "times": one.times,
    }


def _change(one: Replayed) -> dict[str, object]:
    assert one.now is not None
    told = {"after": one.now.outputs, "before": one.past.outputs, "direction": one.direction}
    return {**_question(one), **told, "row_after": one.now.row, "row_before": one.past.row}


def _undecidable(one: Replayed) -> dict[str, object]:
    assert one.reason is not None
    told = {"before": one.past.outputs, "row_before": one.past.row}
    return {**_question(one), **told, "code": one.reason.code, "message": one.reason.message}


def _lines(result: Replay, past: Past) -> Iterator[str]:
    for problem in past.problems[:MAX_TOLD]:
        yield f"{problem.place}: {problem.message} [{problem.code}]"
        if problem.next_step:
            yield f"  next: {problem.next_step}"
    yield from _more(len(past.problems) - MAX_TOLD, "problems")
    tallies = result.tallies()
    for name, questions in result.by_document().items():
        yield from _of_document(name, questions, tallies[name])
    yield from _summary(result, past)


def _of_document(name: str, questions: Sequence[Replayed], tally: Tally) -> Iterator[str]:
    from toolkit.authoring.replaying import CHANGED, DIRECTIONS, UNDECIDABLE

    yield f"{name}: {tally.asked} asked, {_outcome(tally)}"
    yield from _renamed(questions)
    changed = sorted(
        (one for one in questions if one.outcome == CHANGED), key=lambda one: DIRECTIONS.index(one.direction or "")
    )
    for one in changed[:MAX_TOLD]:
        yield f"  {_facts(one.past.facts)}"
        yield f"    {_moved(one)} ({one.direction}){_rows(one)}"
        yield f"    {_places(one)}"
    yield from _more(len(changed) - MAX_TOLD, "changes")
    lost = [one for one in questions if one.outcome == UNDECIDABLE]
    for one in lost[:MAX_TOLD]:
        assert one.reason is not None
        yield f"  {_facts(one.past.facts)}"
        yield f"    can't be asked again: {one.reason.message} [{one.reason.code}]"
        yield f"    {_places(one)}"
    yield from _more(len(lost) - MAX_TOLD, "that can't be asked again")


def _outcome(tally: Tally) -> str:
    parts = [f"{tally.changed} would change" if tally.changed else ""]
    parts.append(f"{tally.undecidable} can't be asked again" if tally.undecidable else "")
    return ", ".join(filter(None, parts)) or "none would change"


def _renamed(questions: Iterable[Replayed]) -> Iterator[str]:
    """The same answers that another row gives now."""
    from toolkit.authoring.replaying import SAME

    pairs: Counter[str] = Counter()
    for one in questions:
        if one.outcome == SAME and one.row_differs:
            pairs[_rows(one)] += one.times
    for rows, times in list(pairs.items())[:MAX_TOLD]:
        yield f"  the same answer{rows}: {_times(times)}"
    yield from _more(len(pairs) - MAX_TOLD, "such rows")


def _moved(one: Replayed) -> str:
    """The outputs that differ; lists as a whole."""
    from toolkit.authoring.deciders import changed_outputs

    assert one.now is not None
    before, after = one.past.outputs, one.now.outputs
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return f"{_value(before)} -> {_value(after)}"
    pairs = list(changed_outputs(before, after).items())
    told = [f"{_value(name, bare=True)} {_value(was)} -> {_value(now)}" for name, (was, now) in pairs[:MAX_TOLD]]
    return ", ".join([*told, *_more(len(pairs) - MAX_TOLD, "outputs")])


def _rows(one: Replayed) -> str:
    assert one.now is not None
    return f", row {_value(one.past.row, bare=True)} -> {_value(one.now.row, bare=True)}" if one.row_differs else ""


def _facts(facts: Mapping[str, object]) -> str:
    told = [f"{_value(name, bare=True)}={_value(value)}" for name, value in list(facts.items())[:MAX_TOLD]]
    return " ".join([*told, *_more(len(facts) - MAX_TOLD, "facts")]) or "(no facts)"


def _places(one: Replayed) -> str:
    places = [origin.place for origin in one.origins[:MAX_PLACES]]
    return f"{_times(one.times)}, in {', '.join([*places, *_beyond(len(one.origins), MAX_PLACES)])}"


def _summary(result: Replay, past: Past) -> Iterator[str]:
    total = result.total
    if past.empty:
        named = ", ".join([*past.empty[:MAX_PLACES], *_beyond(len(past.empty), MAX_PLACES)])
        yield f"nothing to ask in {named} (older than the records of decisions, or another tool's)"
    if not result.questions:
        yield NOTHING
        return
    directions = ", ".join(f"{count} {direction}" for direction, count in total.directions.items() if count)
    changed = f"{total.changed} of {total.asked} past decisions would change: {directions}"
    none = f"none of {total.asked} past decisions would change"
    lost = f"; {total.undecidable} can't be asked again" if total.undecidable else ""
    unread = f"; {len(past.problems)} problem(s) with what was read" if past.problems else ""
    yield f"{changed if total.changed else none}{lost}{unread} ({_records(past.records)})"


def _records(count: int) -> str:
    return "1 log or file" if count == 1 else f"{count} logs and files"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _beyond(count: int, told: int) -> list[str]:
    return [f"and {count - told} more"] if count > told else []


def _more(count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"  and {count} more {what} (--json tells all)"


def _value(value: object, *, bare: bool = False) -> str:
    """A value as JSON, or as it stands where that is a word, its beginning where it is long."""
    text = value if bare and isinstance(value, str) else json_text(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."

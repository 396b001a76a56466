"""Decisions that were made before: what a record of one says, and what those who keep such records answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

from toolkit.policy.problems import shown
from toolkit.policy.syntax.scalars import MAX_INTEGER

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

GROUP: Final = "dr_policy.past_decisions"  # of the entry points under which providers are registered
KEYS: Final = ("document", "facts", "outputs", "row")
OPTIONAL_KEYS: Final = ("at", "times")
MAX_DEPTH: Final = 64  # of one value: as deep as a policy may be
MAX_TEXT: Final = 200  # characters of an id or a time


class Origin(NamedTuple):
    """Where a decision was recorded: the file as messages name it, the line in it, and what its record calls itself."""

    file: str
    line: int | None = None
    record: str | None = None

    @property
    def place(self) -> str:
        """The file, with the line where there is one."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class PastDecision:
    """One question and its answer, in JSON values as ``dr-policy eval --json`` gives them.

    A table that answers with a list has lists of outputs and rows; the facts of a machine name its state and event, and
    its outputs are ``to`` and ``effects``. ``at`` is when it was decided, ``times`` how often.
    """

    document: str
    facts: Mapping[str, object]
    outputs: object
    row: object
    origin: Origin
    at: str | None = None
    times: int = 1


class PastProblem(NamedTuple):
    """A record that could not be read, or not to its end. ``bad_input``: the fault is of what was asked for."""

    code: str
    message: str
    place: str
    next_step: str | None = None
    bad_input: bool = False

    def to_json(self) -> dict[str, object]:
        return {"code": self.code, "message": self.message, "next": self.next_step, "place": self.place}


class Past(NamedTuple):
    """What was found. ``records`` counts the logs and files that were looked at, ``empty`` names those without any."""

    decisions: tuple[PastDecision, ...] = ()
    problems: tuple[PastProblem, ...] = ()
    records: int = 0
    empty: tuple[str, ...] = ()

    @classmethod
    def joined(cls, found: Iterable[Past]) -> Past:
        """All together."""
        every = tuple(found)
        return cls(
            tuple(decision for past in every for decision in past.decisions),
            tuple(problem for past in every for problem in past.problems),
            sum(past.records for past in every),
            tuple(name for past in every for name in past.empty),
        )


class Provider(Protocol):
    """Who keeps past decisions: a function that an entry point of ``GROUP`` names."""

    def __call__(self, start: Path, named: Path | None, policies: PolicySet) -> Past | None:
        """What is kept around the directory ``start``, or in the file or folder ``named``, which exists.

        Null where that is none of the provider's business. ``policies`` are those in force, for limits. What can't be
        read is a problem of the answer. Raises ``ToolkitError`` where nothing can be told at all. Whatever else it
        raises or answers is a fault of its own (``provider_broken``).
        """


class Unreadable(ValueError):
    """A record that is none of a decision: the message says why."""


def read_decision(record: object, origin: Origin, at: str | None = None) -> PastDecision:
    """The decision that a record tells: a JSON object of ``document``, ``facts``, ``outputs``, ``row`` and nothing else
    but ``times`` and ``at`` (for which the parameter stands in). Raises ``Unreadable``.
    """
    if not isinstance(record, Mapping):
        raise Unreadable(f"a decision is an object, not {shown(record)}")
    for key in (*KEYS, *record):
        if key not in record:
            raise Unreadable(f"the key {key!r} is missing")
        if key not in (*KEYS, *OPTIONAL_KEYS):
            raise Unreadable(f"there is no key {shown(key)}; known: {', '.join((*KEYS, *OPTIONAL_KEYS))}")
    document, facts, outputs, row = (record[key] for key in KEYS)
    times, moment = record.get("times", 1), record.get("at", at)
    if not _is_word(document):
        raise Unreadable(f"document is {shown(document)}, not the id of a policy")
    if not isinstance(facts, Mapping):
        raise Unreadable(f"facts are {shown(facts)}, not an object")
    if type(times) is not int or not 1 <= times <= MAX_INTEGER:
        raise Unreadable(f"times is {shown(times)}, not a count from 1")
    if moment is not None and not _is_word(moment):
        raise Unreadable(f"at is {shown(moment)}, not a time")
    _require_answer(outputs, row)
    _require_json((facts, outputs))
    return PastDecision(cast(str, document), facts, outputs, row, origin, moment, times)


def require_past(answer: object) -> Past | None:
    """What a provider answered, held to its type in every part. Raises ``Unreadable``."""
    if answer is None:
        return None
    if not isinstance(answer, Past):
        raise Unreadable(f"the answer is {shown(answer)}, neither a Past nor None")
    for name, parts in (("decisions", answer.decisions), ("problems", answer.problems), ("empty", answer.empty)):
        if not isinstance(parts, (list, tuple)):
            raise Unreadable(f"{name} are {shown(parts)}, not a tuple")
    for decision in answer.decisions:
        _require_decision(decision)
    for problem in answer.problems:
        _require_problem(problem)
    if type(answer.records) is not int or answer.records < 0:
        raise Unreadable(f"records is {shown(answer.records)}, not a count")
    if not all(isinstance(one, str) for one in answer.empty):
        raise Unreadable("each of empty is a text")
    return answer


def _require_decision(decision: object) -> None:
    """A decision that could have been read from a record, and says where that is."""
    if not isinstance(decision, PastDecision) or not isinstance(decision.origin, Origin):
        raise Unreadable(f"{shown(decision)} is no PastDecision with an Origin")
    origin = decision.origin
    _require_texts(origin.file)
    _require_texts(origin.record, optional=True)
    if origin.line is not None and (type(origin.line) is not int or origin.line < 1):
        raise Unreadable(f"the line is {shown(origin.line)}, not a count from 1")
    read_decision({key: getattr(decision, key) for key in (*KEYS, *OPTIONAL_KEYS)}, origin)


def _require_problem(problem: object) -> None:
    if not isinstance(problem, PastProblem) or not isinstance(problem.bad_input, bool):
        raise Unreadable(f"{shown(problem)} is no PastProblem")
    _require_texts(problem.code, problem.message, problem.place)
    _require_texts(problem.next_step, optional=True)


def _require_texts(*values: object, optional: bool = False) -> None:
    for value in values:
        if not isinstance(value, str) and not (optional and value is None):
            raise Unreadable(f"{shown(value)} stands for a text")


def _require_answer(outputs: object, row: object) -> None:
    """One answer, or a list of them with a row for each."""
    if isinstance(outputs, Mapping) and isinstance(row, str):
        return
    if not isinstance(outputs, (list, tuple)) or not isinstance(row, (list, tuple)) or len(outputs) != len(row):
        raise Unreadable(
            "outputs and row are an object and a text, or a list of objects and one of texts, equally long"
        )
    if not all(isinstance(one, Mapping) for one in outputs) or not all(isinstance(one, str) for one in row):
        raise Unreadable("each of the outputs is an object, and each row a text")


def _require_json(value: object) -> None:
    """Nothing but JSON in it, and not too deep: whatever comes from a YAML file may be more."""
    level = [value]
    for _ in range(MAX_DEPTH + 2):  # what was handed in is no part of the record
        level = [part for one in level for part in _parts(one)]
        if not level:
            return
    raise Unreadable(f"a value is deeper than {MAX_DEPTH} levels")


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise Unreadable(f"the key {shown(key)} is no text")
            yield item
    elif isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, float) and not math.isfinite(value):
        raise Unreadable("a number is too large")
    elif value is not None and not isinstance(value, (bool, int, float, str)):
        raise Unreadable(f"{shown(value)} is no JSON value")


def _is_word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_TEXT

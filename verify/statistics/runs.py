"""The audit logs of a workspace as runs: when, in which modes peers reviewed, what they found, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.problems import Mark, Problem
from toolkit.reporting.visible import visible
from toolkit.storage.canonical import bytes_digest
from verify.audit.places import names_in
from verify.days import day_of
from verify.statistics.headers import is_true, read_header, read_text, records_of
from verify.statistics.records import Run, Uncounted
from verify.statistics.rules import StatisticsRules
from verify.terms import PEER_REVIEW, RAN

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

SHOWN = 60
RUN_ID = "run_id"
LAYER, LAYERS, BREAKDOWN, ORIGINS = "source_layer", "layers", "source_layer_breakdown", "origins"


class Runs(NamedTuple):
    """What a folder of logs holds; ``problems`` are values of logs that stand there and can't be used."""

    counted: tuple[Run, ...]
    uncounted: tuple[Uncounted, ...]
    problems: tuple[Problem, ...]


class _Unusable(Exception):
    """A value of a log that is not what it should be: the key, and why."""

    def __init__(self, code: str, key: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.key, self.reason = code, key, reason


class _UnknownMode(Exception):
    """A mode that no policy names."""


def read_runs(folder: Path, shown: str, policies: PolicySet, rules: StatisticsRules) -> Runs:
    """Every log in ``folder`` (named ``shown`` in messages), each read once, in order of their names.

    A log that is damaged, that is a copy of another, or that names a mode nobody knows is uncounted. Raises
    ``StorageError`` where the folder can't be listed.
    """
    counted: list[Run] = []
    uncounted: list[Uncounted] = []
    problems: list[Problem] = []
    first: dict[str, str] = {}
    for name in sorted(names_in(folder)):
        path = f"{shown}/{name.file_name}"
        try:
            header = read_header(folder / name.file_name, policies, rules.logs)
            run = _identity(header, folder / name.file_name, policies)
            if first.setdefault(run, path) != path:
                uncounted.append(Uncounted(path, "duplicate_run", f"{path} is a copy: {first[run]} holds the same run"))
                continue
            counted.append(_run(header, path, rules))
        except StorageError as error:
            uncounted.append(Uncounted(path, error.code, error.message))
        except _UnknownMode as unknown:
            uncounted.append(Uncounted(path, "unknown_mode", f"{name.file_name} names {unknown}"))
        except _Unusable as fault:
            mark = Mark(path, _line_of(folder / name.file_name, fault.key, policies), 1)
            problems.append(Problem(fault.code, fault.reason, mark))
    return Runs(tuple(counted), tuple(uncounted), tuple(problems))


def _identity(header: Mapping[str, Any], path: Path, policies: PolicySet) -> str:
    """What two logs of one run share: its id; in a log of another tool, which has none, every byte."""
    run = header.get(RUN_ID)
    return run if isinstance(run, str) else bytes_digest(read_text(path, policies).encode("utf-8", "replace"))


def _run(header: Mapping[str, Any], path: str, rules: StatisticsRules) -> Run:
    """The run of a log. What is discarded, waived or known from a baseline names a mode, and is nothing found."""
    logs = rules.logs
    header_mode = _mode(header, rules)
    own = frozenset(() if header_mode is None else (header_mode,))
    findings = [(finding, _modes_of(finding, own, rules)) for finding in records_of(header, logs.findings)]
    beside = [_modes_of(finding, own, rules) for finding in records_of(header, logs.beside)]
    modes = own.union(*beside, *(modes for _, modes in findings)) - rules.without_peers
    counted = (modes for finding, modes in findings if not is_true(finding.get(logs.discarded)))
    found: frozenset[str] = frozenset().union(*counted) - rules.without_peers
    reviewed = False if own & rules.without_peers else True if modes else _reviewed(header, rules)
    return Run(path, _day(header, rules), modes, found, reviewed, _tokens(header, rules))


def _modes_of(finding: Mapping[str, Any], own: frozenset[str], rules: StatisticsRules) -> frozenset[str]:
    """In which modes a finding was reported: as it and its origins say, else as the log says of all its peers."""
    records = (finding, *records_of(finding, (ORIGINS,)))
    said = frozenset(mode for record in records if (mode := _mode(record, rules)) is not None)
    return said or (own if _of_peers(records) else said)


def _of_peers(records: Iterable[Mapping[str, Any]]) -> bool:
    return any(record.get(LAYER) == PEER_REVIEW for record in records)


def _mode(record: Mapping[str, Any], rules: StatisticsRules) -> str | None:
    value = record.get(rules.logs.mode)
    if value is None or value == "":
        return None
    known = {entry.mode for entry in rules.modes} | rules.without_peers
    if not isinstance(value, str) or value not in known:
        raise _UnknownMode(f"the mode '{visible(str(value), SHOWN)}', which verify.statistics does not know")
    return value


def _reviewed(header: Mapping[str, Any], rules: StatisticsRules) -> bool | None:
    """Whether peers reviewed in a run that names no mode: by its layers, else by what is said about findings."""
    if LAYERS in header:
        layers = records_of(header, (LAYERS,))
        return any(layer.get("layer") == PEER_REVIEW and layer.get("status") == RAN for layer in layers)
    breakdown = header.get(BREAKDOWN)
    brought = isinstance(breakdown, Mapping) and breakdown.get(PEER_REVIEW, 0) != 0
    return True if brought or _of_peers(records_of(header, rules.logs.findings)) else None


def _day(header: Mapping[str, Any], rules: StatisticsRules) -> date | None:
    for key in rules.logs.times:
        value = header.get(key)
        if value is None or value == "":
            continue
        day = day_of(value) if isinstance(value, str) else None
        if day is None:
            raise _Unusable("bad_date", key, f"{key} is no date or RFC 3339 time: '{visible(str(value), SHOWN)}'")
        return day
    return None


def _tokens(header: Mapping[str, Any], rules: StatisticsRules) -> int | None:
    value = header.get(rules.logs.cost)
    if value is None or (isinstance(value, str) and value.strip().casefold() in rules.logs.cost_unknown):
        return None
    if type(value) is not int or value < 0:
        key = rules.logs.cost
        raise _Unusable("bad_figure", key, f"{key} is no number of tokens: '{visible(str(value), SHOWN)}'")
    return value


def _line_of(path: Path, key: str, policies: PolicySet) -> int:
    """The line on which ``key`` stands at the top level of a log; 1 where it is spelt in a way that hides it."""
    return next(_lines_with(read_text(path, policies), key), 1)


def _lines_with(text: str, key: str) -> Iterator[int]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip("\ufeff\"'{ ").startswith(key):
            yield number

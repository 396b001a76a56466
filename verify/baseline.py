"""A baseline: an earlier report of the same task, whose findings are known and no longer counted; only new ones are."""

from __future__ import annotations

import os
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.canonical import bytes_digest, digest
from toolkit.storage.files import read_bounded
from toolkit.storage.strict_json import loads
from verify.errors import WorkspaceError
from verify.findings import Admitted, Finding
from verify.redaction import well_formed
from verify.references import split_reference

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

REPORT_SCHEMA: Final = "dr-verify.verification/v1"
NEXT: Final = "give a report that this task's verification printed with --json"
_LONGEST: Final = 80


class Identity(NamedTuple):
    """What makes two findings of two runs the same: rule, path and quoted text. Lines move, so they do not count."""

    rule: str
    path: str
    text: str


class Baseline(NamedTuple):
    """``digest`` is the file's; ``severities`` holds of each identity the severities of its findings, gravest first."""

    file: str
    digest: str
    severities: Mapping[Identity, tuple[str, ...]]


class Compared(NamedTuple):
    """A run held against its baseline: ``known`` findings do not count, ``fixed`` of its own are there no more."""

    file: str
    digest: str
    known: tuple[Admitted, ...]
    fixed: int

    def to_json(self) -> dict[str, object]:
        return {
            "digest": self.digest,
            "file": self.file,
            "fixed": self.fixed,
            "known": [admitted.to_json() for admitted in self.known],
        }


def rule_of(finding: Finding) -> str:
    """The rule that a finding broke: its check, or for a reviewer's finding its layer and category."""
    return finding.check_name or f"{finding.source_layer}:{finding.category}"


def path_of(artifact_ref: str) -> str:
    """The path of a finding's place, in one spelling and as text that can be encoded."""
    return well_formed(posixpath.normpath(split_reference(artifact_ref).path))


def fingerprint_of(finding: Finding) -> str:
    """The identity of a finding as one word: 64 hexadecimal digits, the same in every run that finds it again."""
    return digest("finding", list(identity_of(finding))).removeprefix("sha256:")


def identity_of(finding: Finding) -> Identity:
    return Identity(
        well_formed(rule_of(finding)), path_of(finding.artifact_ref), well_formed(finding.evidence.excerpt or "")
    )


def read_baseline(path: Path, task_id: str, workspace: Path, policies: PolicySet) -> Baseline:
    """The report at ``path`` as a baseline for ``task_id``; in messages it is named relative to ``workspace``.

    Its findings are those that were counted then or known even before; waived ones are not among them, or a waiver
    would never end. Raises ``WorkspaceError`` for a file that is no such report, ``StorageError`` for one that is
    there and can't be read.
    """
    name = _named(path, workspace)
    limit = cast("Mapping[str, int]", policies.data("verify.limits"))["baseline_max_bytes"]
    try:
        data = read_bounded(Path(os.path.realpath(path)), limit)
    except StorageError as fault:
        if fault.code in {"not_readable", "io_error"}:
            raise
        _refuse("baseline_unusable", name, f"can't be used: {visible(fault.message)}")
    except ValueError as fault:  # a NUL byte
        _refuse("baseline_unusable", name, f"can't be used: {fault}")
    severities = policies.vocabulary("verify.severity")
    found: dict[Identity, list[str]] = defaultdict(list)
    for entry in _Report(name, severities.terms).entries(data, task_id):
        found[entry[0]].append(entry[1])
    ordered = {identity: tuple(sorted(several, key=severities.rank)) for identity, several in found.items()}
    return Baseline(name, bytes_digest(data), ordered)


def split_known(
    findings: Iterable[Admitted], baseline: Baseline, policies: PolicySet
) -> tuple[tuple[Admitted, ...], tuple[Admitted, ...]]:
    """The findings that count still (discarded ones stay among them), and those that are known, both in their order.

    A finding is new that has no partner in the baseline (each of them is the partner of one), or has become graver
    than its partner was.
    """
    ordered = tuple(findings)
    known = _known(ordered, baseline, policies.vocabulary("verify.severity").rank)
    counting = tuple(one for index, one in enumerate(ordered) if index not in known)
    return counting, tuple(one for index, one in enumerate(ordered) if index in known)


def count_fixed(baseline: Baseline, present: Iterable[Admitted], looked_at: Collection[str]) -> int:
    """How many findings of the baseline are there no more, of those whose rule is among the ``looked_at``.

    ``present`` is everything that this run reported, whether it counts or not; what nobody looked for is not fixed.
    """
    now = Counter(identity_of(one.finding) for one in present if not one.discarded)
    return sum(
        max(0, len(several) - now[identity])
        for identity, several in baseline.severities.items()
        if identity.rule in looked_at
    )


def _known(findings: tuple[Admitted, ...], baseline: Baseline, rank: Callable[[str], int]) -> set[int]:
    """The indices of known findings. The gravest takes a partner first, and the gravest one: so most find theirs."""
    left = {identity: list(reversed(several)) for identity, several in baseline.severities.items()}
    known = set()
    for index in sorted(range(len(findings)), key=lambda index: rank(findings[index].finding.severity)):
        one = findings[index]
        partners = None if one.discarded else left.get(identity_of(one.finding))
        if partners and rank(partners[-1]) <= rank(one.finding.severity):
            partners.pop()
            known.add(index)
    return known


class _Report(NamedTuple):
    """A document that is read as a report. Nothing of it is guessed: what is not as it was written is refused."""

    name: str
    severities: tuple[str, ...]

    def entries(self, data: bytes, task_id: str) -> list[tuple[Identity, str]]:
        """Identity and severity of each finding that stands in the report and counted then, or was known."""
        document = self._decoded(data)
        schema = document.get("schema")
        if schema != REPORT_SCHEMA:
            _refuse("baseline_foreign", self.name, f"is no report of a verification (its schema is {_told(schema)})")
        if document.get("task_id") != task_id:
            said = f"is a report on {_told(document.get('task_id'))}, and not on {task_id}"
            _refuse("baseline_other_task", self.name, said)
        earlier = document.get("baseline")
        known = [] if earlier is None else self._list(self._mapping(earlier, "baseline"), "known", "baseline.known")
        records = [*self._list(document, "findings", "findings"), *known]
        kept = (self._mapping(record, "a finding") for record in records)
        return [self._entry(record) for record in kept if record.get("discarded") is not True]

    def _decoded(self, data: bytes) -> Mapping[str, Any]:
        try:
            document = loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as fault:
            _refuse("baseline_unusable", self.name, f"is no JSON document: {visible(str(fault), 200)}")
        return self._mapping(document, "the document")

    def _entry(self, record: Mapping[str, Any]) -> tuple[Identity, str]:
        evidence = self._mapping(record.get("evidence"), "evidence of a finding")
        excerpt = self._text(evidence, "excerpt") if "excerpt" in evidence else ""
        rule = self._text(record, "check_name") if "check_name" in record else self._reviewed(record)
        severity = self._text(record, "severity")
        if severity not in self.severities:
            self._wrong(f"the severity {_told(severity)} of a finding")
        return Identity(rule, path_of(self._text(record, "artifact_ref")), excerpt), severity

    def _reviewed(self, record: Mapping[str, Any]) -> str:
        return f"{self._text(record, 'source_layer')}:{self._text(record, 'category')}"

    def _text(self, record: Mapping[str, Any], key: str) -> str:
        value = record.get(key)
        if not isinstance(value, str):
            self._wrong(f"{key} of a finding")
        return well_formed(value)

    def _list(self, record: Mapping[str, Any], key: str, name: str) -> list[Any]:
        value = record.get(key)
        if not isinstance(value, list):
            self._wrong(name)
        return value

    def _mapping(self, value: object, name: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._wrong(name)
        return value

    def _wrong(self, name: str) -> NoReturn:
        _refuse("baseline_unusable", self.name, f"was changed: {name} is missing or not as it was printed")


def _told(value: object) -> str:
    return visible(repr(value), _LONGEST)


def _named(path: Path, workspace: Path) -> str:
    """The path as messages and reports name it: relative to the workspace where it lies in it."""
    real = Path(os.path.abspath(path))
    return visible(real.relative_to(workspace).as_posix() if real.is_relative_to(workspace) else str(real))


def _refuse(code: str, name: str, reason: str) -> NoReturn:
    raise WorkspaceError(code, f"the baseline {name} {reason}", place=name, next_step=NEXT)

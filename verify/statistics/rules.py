"""What is counted, and from how many on there is a rate: ``verify.statistics`` as code uses it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.artifacts import ANY, ID, ArtifactRules

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT = "verify.statistics"


class LogRules(NamedTuple):
    """The keys of a log that are counted: the mode, its times (the first that is there), and the cost in tokens.

    ``marks`` show that a header is some tool's log; the lists under ``findings`` hold what peers found, those under
    ``beside`` what did not count.
    """

    marks: frozenset[str]
    mode: str
    findings: tuple[str, ...]
    beside: tuple[str, ...]
    discarded: str
    times: tuple[str, ...]
    cost: str
    cost_unknown: frozenset[str]


class ModeRules(NamedTuple):
    """A mode of peer review and the key of its rate; a ``legacy`` one is shown only where it was recorded."""

    mode: str
    rate: str
    legacy: bool


class ArchiveRules(NamedTuple):
    """How archives are found, and where in one of them an outcome may stand.

    ``folder``, ``prefix`` and ``suffix`` are those of the document that ends a task (``verify.artifacts``).
    Words (``headings``, ``languages``, ``affirmed``, ``denied``) are case-folded. ``max_bytes`` is of one archive.
    """

    folder: str
    prefix: str
    suffix: str
    block: str
    headings: frozenset[str]
    languages: frozenset[str]
    caught: str
    missed: str
    false_positive: str
    count_max: int
    not_verified: str
    affirmed: frozenset[str]
    denied: frozenset[str]
    dates: tuple[str, ...]
    max_bytes: int
    max_files: int

    @property
    def keys(self) -> frozenset[str]:
        """The keys of an outcome that say something."""
        return frozenset((self.caught, self.missed, self.false_positive, self.not_verified))


class StatisticsRules(NamedTuple):
    """``verify.statistics``. ``runs_min`` is of one mode, ``findings_min`` of judged findings."""

    logs: LogRules
    modes: tuple[ModeRules, ...]
    without_peers: frozenset[str]
    archives: ArchiveRules
    runs_min: int
    findings_min: int
    digits: int

    @classmethod
    def from_policy(cls, policies: PolicySet) -> StatisticsRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        logs, rates = value["logs"], value["rates"]
        return cls(
            logs=LogRules(
                **{**logs, "marks": frozenset(logs["marks"]), "cost_unknown": frozenset(logs["cost_unknown"])}
            ),
            modes=tuple(ModeRules(**entry) for entry in value["modes"]),
            without_peers=frozenset(value["without_peers"]),
            archives=_archive_rules(value["archives"], ArtifactRules.from_policy(policies)),
            runs_min=rates["runs_min"],
            findings_min=rates["findings_min"],
            digits=rates["digits"],
        )


def _archive_rules(value: Mapping[str, Any], artifacts: ArtifactRules) -> ArchiveRules:
    def folded(words: tuple[str, ...]) -> frozenset[str]:
        return frozenset(word.casefold() for word in words)

    path = next(place.path for place in artifacts.documents if place.kind == artifacts.archived_kind)
    *folders, name = path.split("/")
    prefix, _, suffix = name.partition(ID)
    answers = value["not_verified"]
    return ArchiveRules(
        folder="/".join(takewhile(lambda folder: ANY not in folder and ID not in folder, folders)),
        prefix=prefix,
        suffix=suffix,
        block=value["block"],
        headings=folded(value["headings"]),
        languages=folded(value["languages"]),
        caught=value["counters"]["caught"],
        missed=value["counters"]["missed"],
        false_positive=value["counters"]["false_positive"],
        count_max=value["count_max"],
        not_verified=answers["key"],
        affirmed=folded(answers["affirmed"]),
        denied=folded(answers["denied"]),
        dates=value["dates"],
        max_bytes=value["max_bytes"],
        max_files=value["max_files"],
    )

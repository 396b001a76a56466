"""One waiver: which findings it covers, who answers for it, and until when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.baseline import fingerprint_of, path_of

if TYPE_CHECKING:
    from verify.findings import Finding


Key = tuple[str, str]
_SHOWN: Final = 12  # characters of a fingerprint in a message


def keys_of(finding: Finding) -> tuple[Key, ...]:
    """What a waiver may name to mean ``finding``."""
    if finding.check_name is not None:
        return (("rule", finding.check_name), ("fingerprint", fingerprint_of(finding)))
    return (("category", finding.category), ("fingerprint", fingerprint_of(finding)))


class Waiver(NamedTuple):
    """One entry of a waiver file; ``file`` is as messages name it, ``line`` counts from 1.

    One of three says which findings are meant: ``rule`` is a finding's ``check_name``, ``fingerprint`` that of the
    finding itself (see ``fingerprint_of``), ``category`` that of findings which no check made; the others are null.
    The other keys narrow: ``path`` is a glob over the path of the finding's place, ``text`` stands in the excerpt,
    ``criteria`` holds every criterion that the finding names (and it names one), ``task`` is the only task. What is
    null or empty narrows nothing. ``expires`` is the last day (in UTC) on which the waiver holds. ``matches_path`` is
    the glob, compiled.
    """

    file: str
    line: int
    rule: str | None
    fingerprint: str | None
    category: str | None
    path: str | None
    text: str | None
    criteria: tuple[str, ...]
    task: str | None
    reason: str
    owner: str
    expires: date
    matches_path: Callable[[str], bool] | None = None

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def subject(self) -> str:
        """What it is about, in words for a message."""
        if self.fingerprint is not None:
            return f"the finding {self.fingerprint[:_SHOWN]}"
        return self.rule if self.rule is not None else f"findings of reviewers on {self.category}"

    @property
    def key(self) -> Key:
        """What it names: the kind of name, and the name."""
        named = (("rule", self.rule), ("fingerprint", self.fingerprint), ("category", self.category))
        return next((kind, name) for kind, name in named if name is not None)

    @property
    def standing(self) -> str:
        """Who answers for it and why, in words for a report."""
        return f"{self.reason} ({self.owner}, until {self.expires.isoformat()}; {self.place})"

    def concerns(self, task_id: str) -> bool:
        return self.task is None or self.task == task_id

    def expired(self, today: date) -> bool:
        """Whether the waiver has ended: it holds on its last day and not after."""
        return today > self.expires

    def covers(self, finding: Finding) -> bool:
        """Whether ``finding`` is one of those that are meant."""
        return (
            self.key in keys_of(finding)
            and self._narrows_to(finding.ac_criteria)
            and (self.text is None or self.text in (finding.evidence.excerpt or ""))
            and (self.matches_path is None or self.matches_path(path_of(finding.artifact_ref)))
        )

    def to_json(self) -> dict[str, object]:
        """The waiver as machine output shows it; keys that narrow nothing are left out."""
        narrowing = {
            "rule": self.rule,
            "fingerprint": self.fingerprint,
            "category": self.category,
            "path": self.path,
            "text": self.text,
            "criteria": list(self.criteria) or None,
            "task": self.task,
        }
        said = {"reason": self.reason, "owner": self.owner, "expires": self.expires.isoformat(), "place": self.place}
        return {**{key: value for key, value in narrowing.items() if value is not None}, **said}

    def _narrows_to(self, criteria: tuple[str, ...]) -> bool:
        if not self.criteria:
            return True
        return bool(criteria) and {label.strip() for label in criteria} <= set(self.criteria)

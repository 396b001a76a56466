"""Applying waivers: what is waived stays whole and visible, and a waiver covers nothing but what it means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.findings import Admitted, Finding
from verify.waivers.file import read_stored_waiver_file, read_waiver_file
from verify.waivers.rules import WaiverRules
from verify.waivers.waiver import Key, Waiver, keys_of

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from toolkit.sources.tree import PolicyTree
    from verify.task import Task


class Waived(NamedTuple):
    """A finding that is not counted. ``waivers`` are those that cover it: one, or one for each record merged in it."""

    admitted: Admitted
    waivers: tuple[Waiver, ...]

    def to_json(self) -> dict[str, object]:
        """The finding's own record, and the waiver beside it (of several, the first)."""
        return {**self.admitted.to_json(), "waiver": self.waivers[0].to_json()}


class WaiverTally(NamedTuple):
    """What became of the waivers that concern a run. ``file`` is null where there is no waiver file."""

    file: str | None = None
    applied: int = 0
    unused: tuple[Waiver, ...] = ()
    expired: tuple[Waiver, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "applied": self.applied,
            "expired": [waiver.to_json() for waiver in self.expired],
            "file": self.file,
            "unused": [waiver.to_json() for waiver in self.unused],
        }

    def warnings(self) -> tuple[str, ...]:
        """One line for each waiver that nobody needs any more, or that has ended."""
        unused = (f"unused waiver {one.place}: it covers no finding of this run ({one.subject})" for one in self.unused)
        ended = (
            f"expired waiver {one.place}: it ended with {one.expires.isoformat()} ({one.subject})"
            for one in self.expired
        )
        return (*unused, *ended)


NO_WAIVERS: Final = WaiverTally()


class Waivers(NamedTuple):
    """The waivers that concern one task on one day: those that hold, by what they name, and those that have ended."""

    file: str | None
    holding: Mapping[Key, tuple[Waiver, ...]]
    expired: tuple[Waiver, ...]
    never: frozenset[str]

    @classmethod
    def of(cls, file: str | None, waivers: Iterable[Waiver], task_id: str, today: date, rules: WaiverRules) -> Waivers:
        """Choose from all waivers of a file."""
        holding: dict[Key, list[Waiver]] = defaultdict(list)
        expired = []
        for waiver in waivers:
            if not waiver.concerns(task_id):
                continue
            if waiver.expired(today):
                expired.append(waiver)
            else:
                holding[waiver.key].append(waiver)
        held = {key: tuple(named) for key, named in holding.items()}
        return cls(file, held, tuple(expired), rules.never)

    def apply(self, findings: Iterable[Admitted]) -> tuple[tuple[Admitted, ...], tuple[Waived, ...]]:
        """The findings that stay, discarded ones among them, and those that are waived; both in their order."""
        staying, waived = [], []
        for admitted in findings:
            covering = () if admitted.discarded or not self.holding else self._covering(admitted)
            if covering:
                waived.append(Waived(admitted, covering))
            else:
                staying.append(admitted)
        return tuple(staying), tuple(waived)

    def tally(self, waived: Iterable[Waived], looked_at: Callable[[Waiver], bool]) -> WaiverTally:
        """What became of each waiver, where ``looked_at`` says of one whether what it names ran at all."""
        findings = tuple(waived)
        used = {waiver for one in findings for waiver in one.waivers}
        held = (waiver for named in self.holding.values() for waiver in named)
        unused = sorted((one for one in held if one not in used and looked_at(one)), key=_line)
        return WaiverTally(self.file, len(findings), tuple(unused), self.expired)

    def _covering(self, admitted: Admitted) -> tuple[Waiver, ...]:
        """The first waiver of each record in a finding. Where one record has none, nothing of it is waived.

        What a reviewer says in its own right is not waived with what the floor says of the same place.
        """
        found = []
        for record in admitted.origins or (admitted,):
            waiver = self._first(record.finding)
            if waiver is None:
                return ()
            found.append(waiver)
        return tuple(dict.fromkeys(found))

    def _first(self, finding: Finding) -> Waiver | None:
        if finding.check_name in self.never:
            return None
        named = (waiver for key in keys_of(finding) for waiver in self.holding.get(key, ()))
        return min((waiver for waiver in named if waiver.covers(finding)), key=_line, default=None)


def load_waivers(task: Task, policies: PolicySet, today: date, tree: PolicyTree | None = None) -> Waivers:
    """The waivers of the repository around a task's workspace, for that task on the day ``today`` (in UTC).

    With a ``tree`` they are those that stand there, and those of the working tree count for nothing.
    Raises ``WaiverError`` or ``WorkspaceError`` for a file that can't be used as it is: it is never passed over.
    """
    rules = WaiverRules.from_policy(policies)
    if tree is not None:
        file = read_stored_waiver_file(tree, rules.file_max)
    else:
        file = read_waiver_file(task.workspace.root, rules.file_max)
    if file is None:
        return Waivers.of(None, (), task.id, today, rules)
    from verify.waivers.reading import Words, read_waivers

    words = Words(rules, task.rules, task.criteria, policies.vocabulary("verify.category").terms)
    return Waivers.of(file.name, read_waivers(file, words), task.id, today, rules)


def _line(waiver: Waiver) -> int:
    return waiver.line

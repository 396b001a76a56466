"""What a floor check is: a function from its policy entry and the task to a result. It yields, it never prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from toolkit.errors import UndeterminedError
from verify.decisions import Questions

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from toolkit.sources.tree import PolicyTree
    from verify.findings import Finding
    from verify.task import Task

T = TypeVar("T")


class CheckEntry(NamedTuple):
    """One entry of ``verify.floor``: which check, with what parameters, how grave its findings are, at which stages."""

    id: str
    uses: str
    severity: str
    category: str
    stages: tuple[str, ...]
    parameters: Mapping[str, object]


class CheckResult(NamedTuple):
    """What became of one check. ``status`` is a term of ``verify.check-status``; findings carry no ids yet."""

    status: str
    detail: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class FloorContext:
    """What every check may read. Built once a run; what several checks need is computed once through ``once``.

    ``commits`` is the range that the user named as the task's, or null (they are derived); ``policy_tree`` the Git tree
    from which the repository's policies and waivers come, or null (the working tree); ``today`` is a day in UTC.
    """

    task: Task
    stage: str
    policies: PolicySet
    framework_root: Path | None = None
    run_commands: bool = True
    commits: str | None = None
    policy_tree: PolicyTree | None = None
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    _made: dict[Callable[..., object], object] = field(default_factory=dict, repr=False)
    _failed: dict[Callable[..., object], UndeterminedError] = field(default_factory=dict, repr=False)

    def once(self, make: Callable[[FloorContext], T]) -> T:
        """The value of ``make(self)``, computed at most once a run. What could not be determined is not tried again."""
        if make in self._failed:
            raise self._failed[make]
        if make not in self._made:
            try:
                self._made[make] = make(self)
            except UndeterminedError as fault:
                self._failed[make] = fault
                raise
        return cast(T, self._made[make])

    def made(self, make: Callable[[FloorContext], T]) -> T | None:
        """The value of ``make(self)`` if anything in this run has asked for it, else null."""
        return cast("T | None", self._made.get(make))

    def roots(self) -> tuple[Path, ...]:
        """The declared roots under which a cited path may resolve, in order of precedence."""
        workspace = self.task.workspace.root
        declared = [workspace, self.task.workspace.datarim]
        if self.framework_root is not None:
            declared.append(self.framework_root)
        return tuple(declared)


def questions_of(context: FloorContext) -> Questions:
    """What the checks of a run ask the tables. Use it through ``context.once``."""
    return Questions(context.policies)


Check = Callable[[CheckEntry, FloorContext], CheckResult]

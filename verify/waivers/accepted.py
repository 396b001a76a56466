"""What was accepted before a run (waivers, a baseline), and findings set apart by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.baseline import Baseline, Compared, count_fixed, read_baseline, split_known
from verify.findings import Admitted
from verify.terms import FLOOR, RAN, STAGE_ALL
from verify.waivers.applying import Waived, Waivers, WaiverTally, load_waivers
from verify.waivers.waiver import Waiver

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.floor.check import FloorContext
    from verify.floor.runner import RanCheck
    from verify.layers import LayerResult

COMMAND: Final = "command:"  # what stands before the id of a team's own check in the name of its findings


class Apart(NamedTuple):
    """Findings, set apart. ``counting`` holds discarded ones too: they say themselves that they do not count."""

    counting: tuple[Admitted, ...]
    waived: tuple[Waived, ...]
    known: tuple[Admitted, ...] = ()


class Accepted(NamedTuple):
    """The waivers that concern the task, and the baseline of the run if it has one; ``stage`` is the run's."""

    waivers: Waivers
    baseline: Baseline | None
    policies: PolicySet
    stage: str

    @classmethod
    def load(cls, context: FloorContext, baseline: Path | None) -> Accepted:
        """Read both. Raises ``ToolkitError`` for a file that can't be used as it is."""
        task, policies = context.task, context.policies
        waivers = load_waivers(task, policies, context.today, context.policy_tree)
        if baseline is None:
            return cls(waivers, None, policies, context.stage)
        known = read_baseline(baseline, task.id, task.workspace.root, policies)
        return cls(waivers, known, policies, context.stage)

    def apart(self, findings: Iterable[Admitted]) -> Apart:
        """Findings set apart: first what is waived (that somebody answers for), then what is known."""
        staying, waived = self.waivers.apply(findings)
        if self.baseline is None:
            return Apart(staying, waived)
        counting, known = split_known(staying, self.baseline, self.policies)
        return Apart(counting, waived, known)

    def tally(self, apart: Apart, looked_at: Collection[str]) -> WaiverTally:
        """What became of the waivers. Of one for a category the layers count in which reviewers name it.

        A rule that no check has, at whatever stage, is one that nobody will ever need.
        """
        checks = frozenset(entry["id"] for entry in self.policies.data("verify.floor")["checks"])

        def looked(waiver: Waiver) -> bool:
            if waiver.fingerprint is not None:  # it does not say whose finding it is
                return self.stage == STAGE_ALL
            if waiver.rule is not None:
                return waiver.rule in looked_at or waiver.rule.removeprefix(COMMAND) not in checks
            return any(rule.partition(":")[2] == waiver.category for rule in looked_at)

        return self.waivers.tally(apart.waived, looked)

    def compared(self, apart: Apart, looked_at: Collection[str]) -> Compared | None:
        """What the baseline had to say, or null where there is none."""
        if self.baseline is None:
            return None
        present = (*apart.counting, *(one.admitted for one in apart.waived), *apart.known)
        fixed = count_fixed(self.baseline, present, looked_at)
        return Compared(self.baseline.file, self.baseline.digest, apart.known, fixed)


def rules_looked_at(checks: Iterable[RanCheck], layers: Iterable[LayerResult], policies: PolicySet) -> frozenset[str]:
    """The rules (see ``rule_of``) that a run applied: checks that ran, and what the reviewers that ran look for."""
    ran = [check.name for check in checks if check.result.status == RAN]
    reviewers = [layer.layer for layer in layers if layer.layer != FLOOR and layer.status == RAN]
    categories = policies.vocabulary("verify.category").terms
    reviewed = (f"{layer}:{category}" for layer in reviewers for category in categories)
    return frozenset((*ran, *(COMMAND + name for name in ran), *reviewed))

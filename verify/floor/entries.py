"""The entries of ``verify.floor``: which checks there are, which apply to a stage, the code behind each ``uses``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolkit.policy.problems import PolicyError, did_you_mean
from verify.floor.check import Check, CheckEntry, FloorContext
from verify.terms import STAGE_ALL

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

# ``uses`` -> the module of verify.floor whose function of that name is the check.
BUILT_IN: Mapping[str, str] = {
    "ac_coverage_grep": "acceptance",
    "archive_claim": "archive.claimed",
    "command": "command",
    "execution_skew": "drift.skew",
    "expectations_presence": "presence",
    "expectations_status": "expectations",
    "file_touched_audit": "paths",
    "init_task_presence": "presence",
    "no_acceptance_criteria": "acceptance",
    "orphaned_requirements": "drift.orphans",
    "path_outside_roots": "paths",
    "phase_gate": "gates.stages",
    "plan_presence": "presence",
    "policy_layer": "drift.policy_layer",
    "scope_creep": "drift.scope",
    "shellcheck": "shell.judging",
    "spec_decay": "drift.decay",
    "spec_graph_configuration": "spec",
    "spec_rule": "spec",
    "test_presence": "manifests",
    "unclosed_fence": "fences",
}


class FloorPlan(NamedTuple):
    """What ``verify.floor`` says: the stages that ``all`` stands for, and every enabled check in order."""

    all_means: tuple[str, ...]
    entries: tuple[CheckEntry, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> FloorPlan:
        """Read and check the document: ids are unique and every ``uses`` is known, enabled or not."""
        value = policies.data("verify.floor")
        seen: set[str] = set()
        entries = []
        for record in value["checks"]:
            if record["id"] in seen:
                message = f"the check {record['id']!r} stands twice"
                raise _fault("duplicate_check", message, "give each check its own id")
            seen.add(record["id"])
            if record["uses"] not in BUILT_IN:
                hint = did_you_mean(record["uses"], BUILT_IN)
                raise _fault("unknown_check", f"{record['id']}: there is no check {record['uses']!r}", hint)
            if record.get("enabled", True):
                entries.append(_entry(record))
        return cls(tuple(value["all_means"]), tuple(entries))

    def at(self, stage: str) -> tuple[CheckEntry, ...]:
        """The checks that apply when ``stage`` is asked for."""
        asked = self.all_means if stage == STAGE_ALL else (stage,)
        return tuple(entry for entry in self.entries if set(asked) & set(entry.stages))


def floor_plan(context: FloorContext) -> FloorPlan:
    """The document as this run reads it. Use it through ``context.once``."""
    return FloorPlan.from_policy(context.policies)


def check_of(entry: CheckEntry) -> Check:
    """The function behind an entry."""
    return cast("Check", getattr(_module(entry), entry.uses))


def begin_of(entry: CheckEntry) -> Callable[[CheckEntry, FloorContext], None] | None:
    """What a check starts before any check is waited for (long processes), if it has such a thing."""
    return getattr(_module(entry), "begin", None)


def _module(entry: CheckEntry) -> ModuleType:
    return import_module(f"verify.floor.{BUILT_IN[entry.uses]}")


def _entry(record: Mapping[str, Any]) -> CheckEntry:
    return CheckEntry(
        record["id"],
        record["uses"],
        record["severity"],
        record["category"],
        tuple(record["stages"]),
        record.get("with", {}),
    )


def _fault(code: str, message: str, hint: str | None) -> PolicyError:
    return PolicyError(code, message, place="verify.floor", next_step=hint or "dr-policy show verify.floor")

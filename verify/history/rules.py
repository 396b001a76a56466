"""The policy ``verify.history`` as values: how a task's commits are told, and how far Git is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from toolkit.repository.git import GitLimits

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class HistoryRules(NamedTuple):
    """The words and limits are explained in the policy."""

    default_branches: tuple[str, ...]
    after_id_in_branch: frozenset[str]
    reverts: str
    git: GitLimits
    most_commits: int
    most_branches: int

    @classmethod
    def from_policy(cls, policies: PolicySet) -> HistoryRules:
        """The rules of ``verify.history`` (the policy's shape proves the types)."""
        value = cast("Mapping[str, object]", policies.data("verify.history"))
        return cls(
            default_branches=tuple(cast("Sequence[str]", value["default_branches"])),
            after_id_in_branch=frozenset(cast("Sequence[str]", value["after_id_in_branch"])),
            reverts=cast(str, value["reverts"]),
            git=GitLimits(cast(int, value["timeout_ms"]), cast(int, value["output_limit"])),
            most_commits=cast(int, value["most_commits"]),
            most_branches=cast(int, value["most_branches"]),
        )

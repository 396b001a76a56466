"""What a waiver must say: ``verify.waivers`` as code uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class WaiverRules(NamedTuple):
    """``file_max`` is in bytes, the other limits are in characters; ``never`` are checks that nobody can waive."""

    file_max: int
    number_max: int
    text_max: int
    reason_min: int
    excerpt_min: int
    never: frozenset[str]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> WaiverRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.waivers"))
        return cls(
            file_max=value["file_max_bytes"],
            number_max=value["number_max"],
            text_max=value["text_max"],
            reason_min=value["reason_min"],
            excerpt_min=value["excerpt_min"],
            never=frozenset(value["never"]),
        )

"""How many hexadecimal digits of a commit a document may write, from ``verify.history``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class HashDigits(NamedTuple):
    """From ``shortest`` to ``longest`` digits, or ``whole`` of them."""

    shortest: int
    longest: int
    whole: int

    @classmethod
    def from_policy(cls, policies: PolicySet) -> HashDigits:
        """The numbers of the loaded policies (their shape proves the types)."""
        hashes = cast("Mapping[str, int]", policies.data("verify.history")["hashes"])
        return cls(hashes["shortest"], hashes["longest"], hashes["whole"])

    def fit(self, digits: str) -> bool:
        """Whether there are as many digits as a commit may have."""
        return self.shortest <= len(digits) <= self.longest or len(digits) == self.whole

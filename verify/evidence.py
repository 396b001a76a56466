"""Evidence as it is quoted: excerpts cut to the limit, from a source line or from the message of a check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from verify.findings import Evidence
from verify.terms import FILE_QUOTE, FLOOR, TEST_OUTPUT

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class FindingLimits(NamedTuple):
    """What ``verify.limits`` says of findings: lengths in characters (code points), as the seven rules set them.

    ``excerpt_min`` is the shortest excerpt that proves anything, ``source_max_bytes`` the largest file in which one is
    looked up.
    """

    excerpt_max: int
    excerpt_min: int
    excerpt_suffix: str
    suggested_fix_max: int
    source_max_bytes: int

    @classmethod
    def from_policy(cls, policies: PolicySet) -> FindingLimits:
        """The limits of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, object]", policies.data("verify.limits"))
        return cls(
            excerpt_max=cast(int, value["excerpt_max"]),
            excerpt_min=cast(int, value["excerpt_min"]),
            excerpt_suffix=cast(str, value["excerpt_suffix"]),
            suggested_fix_max=cast(int, value["suggested_fix_max"]),
            source_max_bytes=cast(int, value["quote_source_max_bytes"]),
        )


def clip(text: str, limit: int, suffix: str) -> str:
    """``text`` in at most ``limit`` characters; a longer one is cut and ends in ``suffix``, which counts."""
    if len(text) <= limit:
        return text
    return text[: max(limit - len(suffix), 0)] + suffix[:limit]


def quote_line(artifact_path: str, line_no: int, text: str, limits: FindingLimits) -> Evidence:
    """A source line as evidence: verbatim, without its line ending, at most ``excerpt_max`` characters.

    ``artifact_path`` is workspace-relative, ``line_no`` counts from 1, ``text`` is the line (or the part of it
    that is quoted). An over-long line loses its indentation before its end, so that something is left to check.
    """
    line = text.rstrip("\r\n")
    if len(line) > limits.excerpt_max:
        line = line.strip()
    return Evidence(FILE_QUOTE, f"{artifact_path}:{line_no}", clip(line, limits.excerpt_max, limits.excerpt_suffix))


def message_evidence(check_name: str, message: str, limits: FindingLimits) -> Evidence:
    """The check's own message as evidence, for what is missing and so cannot be quoted."""
    source = f"dr-verify {FLOOR} {check_name}"
    return Evidence(TEST_OUTPUT, source, clip(message, limits.excerpt_max, limits.excerpt_suffix))


def clip_fix(text: str, limits: FindingLimits) -> str:
    """A suggested fix within ``suggested_fix_max`` characters."""
    return clip(text, limits.suggested_fix_max, limits.excerpt_suffix)

"""Excerpts: verbatim, within the limit, cut on characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits, clip, clip_fix, message_evidence, quote_line
from verify.terms import FILE_QUOTE, TEST_OUTPUT

LIMITS = FindingLimits(20, 8, "[truncated]", 30, 4096)


def test_the_limits_come_from_the_policy(policies: PolicySet) -> None:
    assert FindingLimits.from_policy(policies) == FindingLimits(200, 8, "[truncated]", 500, 4194304)


@given(st.text(max_size=60), st.integers(0, 40))
def test_a_clipped_text_keeps_to_the_limit_and_says_that_it_was_cut(text: str, limit: int) -> None:
    clipped = clip(text, limit, "[truncated]")
    assert len(clipped) <= limit or clipped == text
    assert len(clipped) <= max(limit, 0)
    if len(text) <= limit:
        assert clipped == text
    elif limit >= len("[truncated]"):
        assert clipped.endswith("[truncated]")
        assert text.startswith(clipped.removesuffix("[truncated]"))


@given(st.text(alphabet=st.characters(exclude_characters="\r\n"), max_size=60), st.sampled_from(["", "\n", "\r\n"]))
def test_a_quoted_line_is_part_of_the_line(text: str, ending: str) -> None:
    evidence = quote_line("a b.md", 7, text + ending, LIMITS)
    assert (evidence.type, evidence.source) == (FILE_QUOTE, "a b.md:7")
    assert evidence.excerpt is not None
    assert len(evidence.excerpt) <= LIMITS.excerpt_max
    assert evidence.excerpt == text or evidence.excerpt.removesuffix("[truncated]") in text


def test_indentation_does_not_use_up_an_excerpt() -> None:
    assert quote_line("a", 1, " " * 40 + "text", LIMITS).excerpt == "text"


def test_a_message_names_the_check_that_says_it() -> None:
    evidence = message_evidence("some_check", "nothing is here at all", LIMITS)
    assert (evidence.type, evidence.source) == (TEST_OUTPUT, "dr-verify floor some_check")
    assert evidence.excerpt == "nothing i[truncated]"


def test_a_suggested_fix_has_a_limit_of_its_own() -> None:
    assert clip_fix("x" * 31, LIMITS) == "x" * 19 + "[truncated]"

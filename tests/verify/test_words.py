"""Word lists as code compares them, and lists of texts in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.words import and_more, either, folded, folded_in_order, listed, longest_first, with_others

WORDS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=8)


def test_folded_words_compare_in_any_case() -> None:
    assert folded(["Straße", "RISK", "Риск"]) == {"strasse", "risk", "риск"}


def test_words_whose_order_says_something_keep_it() -> None:
    assert folded_in_order(["Task ID", "id", "ID"]) == ("task id", "id", "id")


@given(WORDS, st.text(max_size=8))
def test_a_pattern_of_words_takes_each_of_them_literally_and_whole(words: list[str], rest: str) -> None:
    pattern = re.compile(either(words))
    for word in words:
        assert pattern.fullmatch(word)
        found = pattern.match(word + rest)
        assert found is not None
        assert len(found.group()) >= len(word)


def test_no_word_hides_a_longer_one() -> None:
    assert longest_first(["risk", "risks", "no"]) == ("risks", "risk", "no")
    assert re.findall(either(["exit", "exit code", "a.b"]), "exit code, exit, axb") == ["exit code", "exit"]


@pytest.mark.parametrize(
    ("texts", "most", "said"),
    [
        ([], 3, ""),
        (["a"], 3, "a"),
        (["a", "b", "c"], 3, "a, b, c"),
        (["a", "b", "c", "d"], 3, "a, b, c and 1 more"),
        (["a", "b", "c"], 1, "a and 2 more"),
        (["a\nb"], 3, "a\\nb"),
    ],
)
def test_the_first_of_some_texts_are_shown_and_the_others_counted(texts: list[str], most: int, said: str) -> None:
    assert listed(texts, most) == said


@pytest.mark.parametrize(
    ("count", "behind", "beside"), [(0, "", ""), (-2, "", ""), (3, " and 3 more", " (and 3 more)")]
)
def test_nothing_is_said_of_no_others(count: int, behind: str, beside: str) -> None:
    assert and_more(count) == behind
    assert with_others(count) == beside

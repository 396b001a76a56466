"""Whether a commit's message or a branch's name names a task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.history.naming import branch_names_task, names_task

ID = "ABC-1"
FOLLOWERS = frozenset("-_/")


@pytest.mark.parametrize(
    "message",
    [
        "ABC-1", "ABC-1: add the store", "feat(ABC-1): x", "x [ABC-1]", "x #ABC-1.", "x\n\nRefs: ABC-1\n",
        "ABC-1, ABC-2", "see ABC-12 and ABC-1",
        "**ABC-1**", "- ABC-1", "ABC-1 - x", "ABC-1- x", "ABC-1--x",
        "Merge branch 'feature/ABC-1'",
        "https://tracker.example.org/browse/ABC-1?x", "ABC-1/ABC-2", "задача ABC-1", 'Revert "ABC-1: x"',
    ],
)  # fmt: skip
def test_the_id_as_a_whole_token_names_the_task(message: str) -> None:
    assert names_task(message, ID)


@pytest.mark.parametrize(
    "message",
    [
        "", "ABC-12", "ABC-10", "XABC-1", "ABC-1x", "ABC-1_x", "_ABC-1", "abc-1", "ABC -1", "ABC–1", "ABC-1-FU-x",
        "ABC-1-2", "X-ABC-1", "9-ABC-1", "plans/ABC-1-plan.md",
        "Merge branch 'feature/ABC-1-thing'", "ABC-1й", "йABC-1", "ABC-1-й", "ABC-1²", "V_ABC-1", "ABC-\n1",
    ],
)  # fmt: skip
def test_another_id_a_word_or_a_files_name_does_not(message: str) -> None:
    assert not names_task(message, ID)


def test_a_compound_id_is_a_task_of_its_own() -> None:
    assert names_task("ABC-1-FU-x: y", "ABC-1-FU-x")
    assert not names_task("ABC-1: y", "ABC-1-FU-x")
    assert not names_task("ABC-1-FU-xy", "ABC-1-FU-x")


@given(st.text(alphabet="ABC1- _\n.x/", max_size=30), st.text(alphabet="ABC1- _\n.x/", max_size=30))
def test_a_token_between_spaces_always_counts(before: str, after: str) -> None:
    assert names_task(f"{before} {ID} {after}", ID)


@pytest.mark.parametrize(
    "name",
    ["ABC-1", "feature/ABC-1", "feature/ABC-1-thing", "ABC-1_thing", "ABC-1/thing", "x-ABC-1", "ada_ABC-1", "x.ABC-1-y",
     "ABC-12/ABC-1", "ABC-1-FU-x"],
)  # fmt: skip
def test_a_branch_names_the_task_with_whatever_follows_a_separator(name: str) -> None:
    assert branch_names_task(name, ID, FOLLOWERS)


@pytest.mark.parametrize(
    "name", ["main", "ABC-12", "XABC-1", "9ABC-1", "йABC-1", "abc-1", "ABC-1.x", "ABC-1x", "ABC-1й"]
)
def test_a_branch_of_another_id_does_not(name: str) -> None:
    assert not branch_names_task(name, ID, FOLLOWERS)

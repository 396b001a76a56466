"""Steps of a plan: numbered items and headings, where each ends, what binds criteria in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.rules import DocumentRules
from verify.documents.steps import Step, find_steps, step_number
from verify.markdown import parse_markdown

Read = Callable[[str], tuple[Step, ...]]


@pytest.fixture(scope="module")
def read(policies: PolicySet) -> Read:
    """The steps of a plan."""
    rules, criteria = DocumentRules.from_policy(policies), CriteriaRules.from_policy(policies)
    return lambda text: find_steps(parse_markdown(text), rules, criteria)


def told(steps: tuple[Step, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(step.number, step.title, step.labels) for step in steps]


@pytest.mark.parametrize(
    "heading",
    [
        "## Steps",
        "## Implementation plan",
        "# Plan",
        "## Step by step",
        "## Phase 1",
        "## Шаги",
        "## План работ",
        "# My task",
    ],
)
def test_numbered_items_are_steps_where_the_heading_says_so(heading: str, read: Read) -> None:
    text = f"{heading}\n\n1. Store it. *Verifies: V-AC-1*\n2. Read it. Verifies: V-AC-2, V-AC-3\n"
    assert told(read(text)) == [("1", "Store it.", ("V-AC-1",)), ("2", "Read it.", ("V-AC-2", "V-AC-3"))]


@pytest.mark.parametrize(
    "heading",
    [
        "# Plan\n\n## Rollback plan",
        "# Plan\n\n## Risks",
        "# Plan\n\n## Test plan",
        "# Plan\n\n## Notes",
        "# Plan\n\n## Откат",
    ],
)
def test_numbered_items_elsewhere_are_no_steps(heading: str, read: Read) -> None:
    assert read(f"{heading}\n\n1. Revert it.\n") == ()


def test_items_without_a_heading_are_steps(read: Read) -> None:
    assert [step.number for step in read("1. a\n2. b\n")] == ["1", "2"]


@pytest.mark.parametrize("text", ["# Plan\n", "", "text\n", "- a\n- b\n", "## Steps\n\n- a\n- b\n"])
def test_a_plan_without_numbers_has_no_steps(text: str, read: Read) -> None:
    assert read(text) == ()


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("## Step 3 Store", "3"),
        ("### Step 3: Store", "3"),
        ("## 4.1 Step 3a — Store", ""),
        ("## Шаг 2. Хранить", "2"),
        ("## Step 1.2 Store", "1.2"),
    ],
)
def test_a_heading_that_begins_with_step_and_a_number_is_one(heading: str, number: str, read: Read) -> None:
    steps = read(f"# Plan\n\n## Notes\n\n{heading}\n\nText. Verifies: V-AC-1\n")
    assert [(step.number, step.labels) for step in steps] == ([(number, ("V-AC-1",))] if number else [])


def test_what_is_numbered_inside_a_heading_step_belongs_to_it(read: Read) -> None:
    text = (
        "## Step 1 Store\n\n1. a. Verifies: V-AC-1\n2. b\n\n### Details\n\n1. c. Verifies: V-AC-2\n\n## Step 2 Read\n"
    )
    assert [(step.number, step.line, step.end, step.labels) for step in read(text)] == [
        ("1", 1, 8, ("V-AC-1", "V-AC-2")),
        ("2", 10, 10, ()),
    ]


def test_an_item_may_begin_with_step(read: Read) -> None:
    assert [step.number for step in read("# Plan\n\n## Notes\n\n- **Step 2a:** x\n- Steps 3 and 4\n")] == ["2a"]


def test_nested_items_and_paragraphs_belong_to_the_step(read: Read) -> None:
    text = (
        "## Steps\n\n1. a\n   1. deep. Verifies: V-AC-1\n   2. deeper\n\n   Verifies: V-AC-2\n\n"
        "   ```\n   Verifies: V-AC-9\n   ```\n2. b\n"
    )
    first, second = read(text)
    assert (first.line, first.end, first.labels) == (3, 11, ("V-AC-1", "V-AC-2"))
    assert (second.line, second.end) == (12, 12)


def test_a_step_ends_at_the_next_heading(read: Read) -> None:
    (step,) = read("## Steps\n\n1. a\n\n## Notes\n\nVerifies: V-AC-9\n")
    assert (step.end, step.labels) == (3, ())


def test_a_quoted_list_holds_no_steps(read: Read) -> None:
    assert read("## Steps\n\n> 1. a\n") == ()


def test_a_table_of_steps_binds_by_its_own_column_not_in_the_step_around_it(read: Read) -> None:
    (step,) = read("## Step 1 Store\n\n| step | Verifies |\n| - | - |\n| 2 | V-AC-9 |\n")
    assert step.labels == ()


def test_a_criterion_that_is_stated_twice_is_kept_twice(read: Read) -> None:
    (step,) = read("## Steps\n\n1. a. Verifies: V-AC-1. Verifies: V-AC-1\n")
    assert step.labels == ("V-AC-1", "V-AC-1")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Step 3: x", "3"),
        ("step 3a", "3a"),
        ("Step 1.2.3 x", "1.2.3"),
        ("Шаг 4", "4"),
        ("Stepping 3", ""),
        ("Step three", ""),
        ("A step 3", ""),
    ],
)
def test_the_number_of_a_step_stands_at_its_beginning(policies: PolicySet, text: str, number: str) -> None:
    assert step_number(text, DocumentRules.from_policy(policies).steps) == number


@given(st.lists(st.sampled_from(["V-AC-1", "V-AC-2", "", "AC-3"]), min_size=1, max_size=9))
def test_each_item_is_one_step_with_its_own_labels(read: Read, labels: list[str]) -> None:
    items = (f"{n}. do {n}" + (f". Verifies: {label}" if label else "") for n, label in enumerate(labels, 1))
    steps = read("## Steps\n\n" + "\n".join(items) + "\n")
    assert [(step.number, step.line, step.end, step.labels) for step in steps] == [
        (str(n), n + 2, n + 2, (label,) if label else ()) for n, label in enumerate(labels, 1)
    ]


@given(st.text(alphabet="#1. Step\n-:V-AC-1|>`", max_size=120))
def test_steps_of_any_text_follow_one_another(read: Read, text: str) -> None:
    end = 0
    for step in read(text):
        assert end < step.line <= step.end
        end = step.line


@pytest.mark.parametrize(
    "item",
    ["- [ ] 1. Store it.", "- [x] 1) Store it.", "- **1. Store it.**", "* [ ] **1.** Store it."],
)
def test_a_box_or_a_bold_bullet_with_a_number_is_a_numbered_item(item: str, read: Read) -> None:
    steps = read(f"# Plan\n\n## Steps\n\n{item} Verifies: V-AC-1\n")
    assert [(step.number, step.labels) for step in steps] == [("1", ("V-AC-1",))]


@pytest.mark.parametrize("item", ["- Store it.", "- [ ] Store it.", "- [ ] 3 retries are enough.", "- 2026: a year."])
def test_a_bullet_without_a_number_of_its_own_is_no_step(item: str, read: Read) -> None:
    assert read(f"# Plan\n\n## Steps\n\n{item} Verifies: V-AC-1\n") == ()


def test_a_bold_paragraph_that_begins_with_step_n_holds_what_is_below_it(read: Read) -> None:
    text = (
        "# Plan\n\n## Implementation plan\n\n**Step 1: Store**\n\n1. Open it\n2. Write it. Verifies: V-AC-1\n\n"
        "**Step 2 — Read**\n\n- Verifies: V-AC-2\n\nStep 3 is only spoken of here.\n\n## Notes\n\nVerifies: V-AC-3\n"
    )
    assert [(step.number, step.labels) for step in read(text)] == [("1", ("V-AC-1",)), ("2", ("V-AC-2",))]


@pytest.mark.parametrize("line", ["Step 1: Store it.", "Шаг 1. Хранить.", "Step 1 — Store it."])
def test_so_does_a_labelled_line_below_a_heading_of_steps(line: str, read: Read) -> None:
    text = f"# Plan\n\n## Steps\n\n{line} Verifies: V-AC-1\n\n- more\n\nStep 1 is spoken of. Step 2: neither.\n"
    assert [(step.number, step.labels, step.line) for step in read(text)] == [("1", ("V-AC-1",), 5)]
    assert read(f"# Plan\n\n## Notes\n\n{line} Verifies: V-AC-1\n") == ()


@pytest.mark.parametrize("heading", ["### 1. Store", "### 1) Store", "### 2.1 Store", "### 1 — Store"])
def test_a_numbered_heading_right_under_one_of_steps_is_a_step(heading: str, read: Read) -> None:
    steps = read(f"# Plan\n\n## 2. Implementation plan\n\n{heading}\n\n- Verifies: V-AC-1\n\n## 3. Notes\n\nx\n")
    assert [(step.labels, step.line) for step in steps] == [(("V-AC-1",), 5)]


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n\n## 1. Overview\n\n- Verifies: V-AC-1\n",  # the outline of a whole document
        "# Plan\n\n## Implementation\n\n### 3 retries\n\n- Verifies: V-AC-1\n",
        "# Plan\n\n## Implementation\n\n### 4. Risks\n\n- Verifies: V-AC-1\n",
        "# Plan\n\n## Rollback plan\n\n### 1. Revert\n\n- Verifies: V-AC-1\n",
    ],
)
def test_other_numbered_headings_are_no_steps(text: str, read: Read) -> None:
    assert read(text) == ()


def test_a_numbered_heading_that_only_announces_steps_leaves_them_to_its_items(read: Read) -> None:
    steps = read("# P\n\n## 2. Implementation\n\n### 2.1. Steps\n\n1. Store it\n2. Read it\n")
    assert [step.number for step in steps] == ["1", "2"]


def test_numbered_items_below_a_bullet_are_steps_and_those_below_a_step_belong_to_it(read: Read) -> None:
    text = (
        "## Implementation roadmap\n\n- Phase A\n  1. Store it\n     1. open\n     2. write\n  2. Read it\n- Phase B\n"
    )
    assert [step.number for step in read(text)] == ["1", "2"]


def test_a_stage_is_a_section_of_steps_as_its_russian_name_is(read: Read) -> None:
    assert [step.number for step in read("# Plan\n\n## Stage 1\n\n1. Store it\n")] == ["1"]

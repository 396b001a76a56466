"""Acceptance criteria: every form of a definition, what only cites, how far a block reaches, what is a cue."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules, Criterion, find_criteria, labels_in
from verify.errors import VerificationUndetermined
from verify.markdown import parse_markdown

WORKSPACES = Path(__file__).parents[1] / "workspaces"

Read = Callable[[str], dict[str, Criterion]]


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> CriteriaRules:
    return CriteriaRules.from_policy(policies)


@pytest.fixture(scope="module")
def read(rules: CriteriaRules) -> Read:
    """The criteria of a text by label."""
    return lambda text: {criterion.label: criterion for criterion in find_criteria(parse_markdown(text), rules)}


# Labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("AC-1 and AC-10", ["AC-1", "AC-10"]),
        ("V-AC-13, not its plain sister", ["V-AC-13"]),
        ("TASK-AC-1 XAC-1 AC-1x2 AC-1-foo AC-1_a _AC-1 AC-x AC- AC-1а", []),
        ("AC 7, AC7; AC-7.", ["AC-7", "AC-7", "AC-7"]),
        ("V-AC-A1 V-AC-14.11 TV-1", ["V-AC-A1", "V-AC-14.11", "TV-1"]),
        ("(AC-1), «AC-2», AC-3's, AC-4: `AC-5`", ["AC-1", "AC-2", "AC-3", "AC-4", "AC-5"]),
        ("по AC-1, критерийAC-2", ["AC-1"]),
        ("AC‑1 with a non-breaking hyphen, АС-2 in Cyrillic", ["AC-1", "AC-2"]),
        ("ac-1 Ac-1", []),
        ("AC-1234567", []),
        ("AC-1/AC-2,AC-3", ["AC-1", "AC-2", "AC-3"]),
    ],
)
def test_labels_are_whole_tokens_in_one_spelling(rules: CriteriaRules, text: str, labels: list[str]) -> None:
    assert list(labels_in(text, rules)) == labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("AC-1..AC-4", ["AC-1", "AC-2", "AC-3", "AC-4"]),
        ("AC-1...AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1 … AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1–AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1 — AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1-AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1 to AC-3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-1..3", ["AC-1", "AC-2", "AC-3"]),
        ("AC-09..AC-11", ["AC-09", "AC-10", "AC-11"]),
        ("V-AC-A1..V-AC-A3", ["V-AC-A1", "V-AC-A2", "V-AC-A3"]),
        ("V-AC-14.1..V-AC-14.3", ["V-AC-14.1", "V-AC-14.2", "V-AC-14.3"]),
        ("V-AC-14.1..3", ["V-AC-14.1", "V-AC-14.2", "V-AC-14.3"]),
        ("AC-2-4", ["AC-2", "AC-3", "AC-4"]),
        ("AC-13/14", ["AC-13", "AC-14"]),
        ("AC-15,16.", ["AC-15", "AC-16"]),
        ("AC-1..3,7", ["AC-1", "AC-2", "AC-3", "AC-7"]),
        ("AC-15, 16 of them", ["AC-15"]),
        ("V-AC A3", ["V-AC-A3"]),
    ],
)
def test_ranges_are_expanded(rules: CriteriaRules, text: str, labels: list[str]) -> None:
    assert list(labels_in(text, rules)) == labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("AC-4..AC-1", ["AC-4", "AC-1"]),
        ("AC-1..V-AC-3", ["AC-1", "V-AC-3"]),
        ("V-AC-A1..V-AC-B3", ["V-AC-A1", "V-AC-B3"]),
        ("V-AC-1.1..V-AC-2.3", ["V-AC-1.1", "V-AC-2.3"]),
        ("AC-1..AC-999999", ["AC-1", "AC-999999"]),
        ("AC-1..AC-10xy", ["AC-1"]),
        ("AC-4-1", ["AC-4", "AC-1"]),
        ("AC-1-4x", []),
    ],
)
def test_what_is_no_range_of_bounded_size_is_not_expanded(rules: CriteriaRules, text: str, labels: list[str]) -> None:
    assert list(labels_in(text, rules)) == labels


GLUE = st.characters(categories=["L", "Nd"]) | st.sampled_from("_-")


@given(number=st.integers(1, 99_999), glue=GLUE)
def test_a_label_inside_a_longer_word_is_none(rules: CriteriaRules, number: int, glue: str) -> None:
    label = f"AC-{number}"
    assert label not in labels_in(f"{glue}{label}", rules)
    if not glue.islower() or not glue.isascii():  # a small letter makes a label of its own: AC-1a
        assert label not in labels_in(f"{label}{glue}x", rules)


@given(
    number=st.integers(1, 99_999),
    before=st.sampled_from(["", " ", "(", "/", "«", ",", "\n", ".", "**", "→"]),
    after=st.sampled_from(["", " ", ".", ", ", ")", ":", "'s", "»", "\n", " -", "- ", "**"]),
)
def test_a_label_between_signs_is_found_as_it_is(rules: CriteriaRules, number: int, before: str, after: str) -> None:
    assert labels_in(f"{before}AC-{number}{after}", rules) == (f"AC-{number}",)


# Forms of a definition


@pytest.mark.parametrize(
    "text",
    [
        "- AC-1 totals survive",
        "* AC-1: totals survive",
        "+ **AC-1** totals survive",
        "- **AC-1:** totals survive",
        "- **AC-1**: totals survive",
        "- __AC-1__ — totals survive",
        "- AC-1 (must): totals survive",
        "- AC-1 [P1] totals survive",
        "- [AC-1] totals survive",
        "- (AC-1) totals survive",
        "- [ ] AC-1: totals survive",
        "- [x] **AC-1** totals survive",
        "- [ ] AC-1",
        "- ✅ AC-1: totals survive",
        "- AC-1\n  totals survive",
        "- AC-1\n  - totals survive",
        "- AC 1. totals survive",
        "- AC1 — totals survive",
        "- Group\n  - AC-1: totals survive",
        "- Group\n\n  AC-1: totals survive",
        "1. AC-1: totals survive",
        "1) AC-1 totals survive",
        "7. **AC-1** totals survive",
        "**AC-1:** totals survive",
        "**AC-1** totals survive",
        "**1. AC-1:** totals survive",
        "**Criterion AC-1:** totals survive",
        "# AC-1",
        "## AC-1 — totals survive\ntext",
        "### AC-1: totals survive",
        "#### 3.2 AC-1 totals survive",
        "##### Acceptance criterion AC-1",
        "###### Критерий приёмки AC-1: итоги переживают перезапуск",
        "AC-1 totals\n===",
        "AC-1: totals survive",
        "AC-1 — totals survive",
        "AC-1 - totals survive",
        "AC 1. totals survive",
        "AC-1) totals survive",
        "• AC-1 totals survive",
        "Критерии:\n– AC-1 итоги переживают перезапуск",
        "Criteria:\n2) AC-1 totals survive",
        "Acceptance Criteria:\nAC-1: totals survive",
        "Acceptance criteria\nAC-1: totals survive",
        "Критерии приёмки:\n\nAC-1: итоги переживают перезапуск",
        "> AC-1: totals survive",
        "> - **AC-1** totals survive",
        "| AC | what |\n| - | - |\n| AC-1 | totals survive |",
        "| what | AC |\n| - | - |\n| totals survive | AC-1 |",
        "| n | what | check |\n| - | - | - |\n| 1 | **AC-1** totals survive | x |",
        "| n | what |\n| - | - |\n| 1 | AC-1: totals survive |",
        "| criterion | check |\n| - | - |\n| AC-1 totals survive | x |",
        "- **AC-1, AC-2** totals survive",
        "- AC-1, AC-2 totals survive",
        "- AC-0-2: totals survive",
        "- [ ] AC-1, AC-2",
        "[AC-1]: totals survive",
        "**[AC-1]** totals survive",
        "### 1. AC-1 — totals survive",
        "### US-1 / AC-1",
        "- x: y<br>AC-1: totals survive",
        "<details>\n<summary>x</summary>\n\n- AC-1: totals survive\n\n</details>",
        "| AC | what |\n| - | - |\n| AC-1, AC-2 | totals |",
        "| AC | what |\n| - | - |\n| AC-0..2 | totals |",
        "| n | AC | what |\n| - | - | - |\n| 1 | AC-1, AC-2 | totals |",
        "| n | what |\n| - | - |\n| 1 | AC-1 totals survive |",
        "| AC | what |\n| - | - |\n| AC-2<br>AC-1 | totals |",
        "| AC |\n| - |\n| AC-2: x<br>AC-1: totals |",
        "- item\n\n  | AC | what |\n  | - | - |\n  | AC-1 | totals |",
    ],
)
def test_a_definition_is_found_in_every_form(read: Read, text: str) -> None:
    for written in (f"{text}\n", f"# PRD\n\nintro\n\n{text}\n\nend\n", f"{text}\n".replace("\n", "\r\n")):
        criterion = read(written)["AC-1"]
        lines = written.replace("\r\n", "\n").split("\n")
        assert "AC" in lines[criterion.line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "See AC-1 in the other document.",
        "AC-1 is covered by the other document.",
        "This depends on **AC-1:** which is elsewhere.",
        "As was said in\nAC-1: it is elsewhere.",
        "It belongs to AC-3,\nAC-1: and others.",
        "- see AC-1",
        "- covers AC-1",
        "- AC-1, AC-2 and AC-3",
        "- AC-1, AC-2 are defined in PRD-OTHER",
        "| AC-1 | totals survive |\n| - | - |\n| x | y |",
        "## 7. Out of scope (for now)\n\n- AC-1: totals",
        "## Non-goals\n\n- AC-1: totals",
        "## Changelog\n\n- AC-1: totals",
        "## История изменений\n\n- AC-1: итоги",
        "- ~~AC-1 totals survive~~",
        "- **~~AC-1: totals survive~~**",
        "| AC | what |\n| - | - |\n| ~~AC-1~~ | totals |",
        "AC-1 - see there",
        "- AC-1: see PRD-OTHER",
        "- AC-1: defined in PRD-OTHER",
        "- **AC-1** of PRD-OTHER",
        "### AC-1 — см. PRD-OTHER",
        "| AC | what |\n| - | - |\n| AC-1 | see PRD-OTHER |",
        "- Acceptance Criterion 1: totals survive",
        "- AC-1",
        "- [AC-1](#ac-1)",
        "- AC-1's totals are elsewhere",
        "- → AC-1",
        "- `AC-1` totals survive",
        "`AC-1`: totals survive",
        "[AC-1]: https://example.com/x",
        "| risk | note |\n| - | - |\n| slow | see AC-1 |",
        "| risk | note |\n| - | - |\n| slow | AC-1 is elsewhere |",
        "| D-REQ | criteria |\n| - | - |\n| one | AC-1, AC-2 |",
        "| D-REQ | Covers |\n| - | - |\n| one | AC-1 |",
        "| x | AC-1 | AC-2 |\n| - | - | - |\n| step | x | |",
        "## Coverage of AC-1",
        "## See also\n\n- AC-1: of the other document",
        "## References\n\n### Inner\n\n- AC-1: of the other document",
        "```\n- AC-1: totals survive\n```",
        "~~~markdown\n- AC-1: totals survive\n~~~",
        "````\n```\n- AC-1: x\n```\n- AC-1: y\n````",
        "- item\n\n  ```\n  AC-1: x\n  ```",
        "```\n- AC-1: left open",
        "    - AC-1: totals survive",
        "<!-- - AC-1: totals survive -->",
        "<!--\n\n- AC-1: totals survive\n\n-->",
        "text <!-- AC-1: totals --> goes on",
    ],
)
def test_a_label_that_is_only_cited_defines_nothing(read: Read, text: str) -> None:
    assert "AC-1" not in read(f"{text}\n")


def test_a_citing_section_ends_with_the_next_heading_of_its_level(read: Read) -> None:
    text = "## See also\n\n- AC-1: x\n\n### More\n\n- AC-2: x\n\n## Criteria\n\n- AC-3: x\n"
    assert list(read(text)) == ["AC-3"]


def test_labels_that_are_set_off_together_are_all_defined(read: Read) -> None:
    text = "- AC-1, AC-2: both\n- AC-3..AC-5 — three `make`\n\n### AC-6 / AC-7\n\nAC-8 и AC-9: оба\n"
    found = read(text)
    assert list(found) == [f"AC-{number}" for number in range(1, 10)]
    assert found["AC-4"].cue is not None
    assert found["AC-2"].line == 1


def test_families_keep_their_names(read: Read) -> None:
    assert list(read("- V-AC-A1 x\n- V-AC-14.11: x\n- TV-1 x\n- V-AC 3: x\n")) == [
        "V-AC-A1",
        "V-AC-14.11",
        "TV-1",
        "V-AC-3",
    ]


def test_several_criteria_in_one_paragraph_have_a_line_each(read: Read) -> None:
    found = read("AC-1: one\nAC-2: two `make`\nwith more\nAC-3: three\n")
    assert [(c.line, c.definitions[0].end, bool(c.cue)) for c in found.values()] == [
        (1, 1, False),
        (2, 3, True),
        (4, 4, False),
    ]


# Blocks


def test_a_block_ends_at_the_next_criterion_or_any_heading(read: Read) -> None:
    found = read("- AC-1: x\n\n  more\n- AC-2: x\n- not one\n\n###### Small\n\n`make`\n")
    assert [(c.line, c.definitions[0].end) for c in found.values()] == [(1, 3), (4, 6)]
    assert found["AC-2"].cue is None


def test_a_heading_keeps_its_sub_headings_and_ends_at_one_of_its_level(read: Read) -> None:
    text = "## AC-1\n\n### Details\n\n`make`\n\n## Other\n\n### AC-2\n\n#### Details\n\n# Top\n\n`make`\n"
    found = read(text)
    assert found["AC-1"].cue is not None
    assert found["AC-1"].definitions[0].end == 6
    assert found["AC-2"].cue is None


def test_the_cue_of_the_next_criterion_does_not_count(read: Read) -> None:
    found = read(
        "### AC-1\ntext\n- AC-2: x. Verify: `make`\n\n| AC | v |\n| - | - |\n| AC-3 | x |\n| AC-4 | `make` |\n"
    )
    assert [label for label, criterion in found.items() if criterion.cue is None] == ["AC-1", "AC-3"]


@pytest.mark.parametrize(
    "after",
    [
        "| n | what | Covers | v |\n| - | - | - | - |\n| x | ~~AC-2~~ bar | | `pytest` |",
        "| AC-2 | `pytest` |\n| - | - |\n| x | `pytest` |",
        "- ~~AC-2: bar~~ `pytest`",
        "- AC-2 - see there. Verify: `pytest`",
        "- AC-2, AC-3 `pytest`",
        "AC-2 bar `pytest`",
        "AC-0: x\nAC-2 bar `pytest`",
        "### Out of scope\n\n- AC-2: bar `pytest`",
        "text<br>AC-2 bar `pytest`",
    ],
)
def test_whatever_begins_with_another_label_ends_the_block_before(read: Read, after: str) -> None:
    assert read(f"## AC-1: foo\n\n{after}\n\n`make`\n")["AC-1"].cue is None


@pytest.mark.parametrize(
    "after", ["AC-1 is done by `make`", "which goes on as in\nAC-2 with `make`", "step of AC-2 `make`"]
)
def test_the_same_label_or_one_inside_a_sentence_ends_no_block(read: Read, after: str) -> None:
    assert read(f"- AC-1: foo\n\n  {after}\n")["AC-1"].cue is not None


def test_labels_of_one_row_or_line_share_its_block(read: Read) -> None:
    found = read(
        "| AC | what | check |\n| - | - | - |\n| AC-1 | foo | |\n| AC-2, AC-3 | bar | `pytest` |\n"
        "| AC-5–AC-7 | x | |\n| AC-8..10 | x | `make` |\n| AC-13/14 | x | |\n| AC-15,16 | x | `make` |\n"
        "| AC-17, 18 | x | |\n| AC-21-22 | x | `make` |\n"
    )
    covered = [label for label, criterion in found.items() if criterion.cue]
    assert covered == [f"AC-{number}" for number in (2, 3, 8, 9, 10, 15, 16, 21, 22)]
    assert [label for label in found if label not in covered] == [
        f"AC-{number}" for number in (1, 5, 6, 7, 13, 14, 17, 18)
    ]


def test_a_forced_line_break_begins_a_line(read: Read) -> None:
    found = read("AC-1: foo<br>AC-2: bar `pytest`<br/>AC-3: **baz**\n")
    assert [(c.label, c.line, bool(c.cue)) for c in found.values()] == [
        ("AC-1", 1, False),
        ("AC-2", 1, True),
        ("AC-3", 1, False),
    ]


def test_a_label_with_several_definitions_is_covered_by_any_of_them(read: Read) -> None:
    found = read(
        "- AC-1: totals survive\n- AC-2: x\n\n## Verification\n\n- AC-1: `pytest -k totals`\n- AC-2: by hand\n"
    )
    assert [definition.line for definition in found["AC-1"].definitions] == [1, 6]
    assert found["AC-1"].line == 1
    assert found["AC-1"].cue is not None
    assert found["AC-1"].cue.line == 6
    assert found["AC-2"].cue is None


# Cues


@pytest.mark.parametrize(
    "block",
    [
        "Verify: look at it",
        "**Verify:** look at it",
        "**Verify**: look at it",
        "_Verify:_ look at it",
        "Verify (by hand): look at it",
        "Verify: `Cache` is empty",
        "verify: look at it",
        "\n  - Verify: look at it",
        "\n  - *Verify:* look at it",
        "\n  - Verify:\n    - look at it",
        "Verify:\n  look at it",
        "\n  Verify:\n\n  ```\n  anything\n  ```",
        "\n  **Verify:**\n\n  | a |\n  | - |\n  | b |",
        "Verified by: the owner",
        "Проверка: посмотреть",
        "**Как проверить:** посмотреть",
        "`pytest -k x`",
        "`pytest`",
        "`make`",
        "`true`",
        "`test -f x`",
        "`[ -f x ]`",
        "run ``grep -c `x` y``",
        "`VAR=1 OTHER='a b' npm test`",
        "`./check`",
        "`../check.pl`",
        "`tools/check.sh --all`",
        "`tests/test_x.py`",
        "`tests/test_x.py::test_y`",
        "`node_modules/.bin/jest`",
        "`/usr/bin/env python3 -m x`",
        "`$ curl localhost`",
        "`(cd x && make)`",
        "`! grep -q x y`",
        "`sudo -u app psql`",
        "`sort -u x`",
        "`sort | uniq -c`",
        "`make | tee x.log`",
        '`[ "$x" = y ]`',
        '`test "$x" = y`',
        "`go vet`",
        "Verify: by hand on staging",
        "Verify: nonempty tables",
        "Проверка: нет ошибок в журнале",
        "`go test ./...`",
        "`python -m pytest`",
        "`timeout 30 pytest`",
        "`just test`",
        "`docker compose up`",
        "\n\n  ```sh\n  # first\n\n  $ pytest -k x\n  ```",
        "\n\n  ~~~\n  jq . x\n  ~~~",
        "goes on\n  over lines with `sqlite3\n  x.db`",
    ],
)
def test_a_statement_or_a_command_is_a_cue(read: Read, block: str) -> None:
    criterion = read(f"- AC-1: it holds. {block}\n- AC-2: next\n")["AC-1"]
    assert criterion.cue is not None
    assert criterion.line <= criterion.cue.line <= criterion.definitions[0].end


@pytest.mark.parametrize(
    "block",
    [
        "We will test this later",
        "it passes every test and check and make",
        "it uses `Cache`",
        "it uses `testing`",
        "it uses `src/store.rs` and `pytest.ini`",
        "the `date` column and the `sort` order",
        "the `time to live` and the `file name`",
        "written in `python`",
        "`make-believe` and `pytester`",
        "`*.py` and `<name>.sh` and `.py` and `https://x.y/z.py`",
        "`A=1` and `A=1 ` and `$HOME`",
        "``",
        "Verify:",
        "**Verify:**",
        "Verify: TBD",
        "Verify: TBD by QA",
        "Verify: `TBD`",
        "Verify: TODO: write a test",
        "Verify: TODO(john)",
        "Verify: to be defined later",
        "Verify: not applicable",
        "Verify: none yet",
        "Verify: pending review",
        "Verify: coming soon, see `Cache`",
        "Verify: WIP",
        "Verify: no",
        "Проверка: нет",
        "Verify: Covers: D-REQ-01",
        "**Verify:** **Owner:** Bob",
        "Verify:\n  `TBD`",
        "\n  Verify:\n\n  ```\n  TODO\n  ```",
        "`[ ]` and `[ x ]` and `test = 1` and `test` and `test | name | x`",
        "`make sure that it runs`",
        "`go to the page` and `git is used`",
        '`true == done` and `make : x` and `"make", x` and `git, docker`',
        "\n\n  ```ts\n  export const x = 'a/b'\n  ```",
        "\n\n  ```ts\n  type Id = string\n  ```",
        '\n\n  ```\n  date | "x"\n  ```',
        '`join table a/b` and `id = 5` and `open "x"` and `set x=1`',
        "Verify: N/A.",
        "Verify: …",
        "Verify: to be defined",
        "nobody can verify: that is why",
        "Reverify: this, and Verify this",
        "<!-- Verify: `pytest` -->",
        "`Verify: pytest`",
        "`# pytest`",
        "\n  <!--\n  Verify: `pytest`\n  -->",
        "\n  - Verify:\n  - Covers: D-REQ-01",
        "Verify:\n  Covers: D-REQ-01",
        "\n\n  ```\n  # pytest\n  ```",
        '\n\n  ```json\n  {"a": 1}\n  ```',
    ],
)
def test_a_bare_word_a_name_or_an_empty_statement_is_no_cue(read: Read, block: str) -> None:
    assert read(f"- AC-1: it holds. {block}\n- AC-2: next `make`\n")["AC-1"].cue is None


def test_an_empty_statement_is_not_filled_by_the_next_heading(read: Read) -> None:
    assert read("## AC-1\n\nVerify:\n\n### Details\n\ntext\n")["AC-1"].cue is None


def test_a_verification_column_counts_by_its_commands_only(read: Read) -> None:
    text = (
        "| AC | what | Verify | note |\n| - | - | - | - |\n"
        "| AC-1 | x | `pytest` | |\n| AC-2 | x | Verify: by hand | |\n| AC-3 | x | pytest | |\n"
        "| AC-4 | x | | Verify: by hand |\n| AC-5 | x | `Cache` | |\n"
        "\n\n| AC | Проверка |\n| - | - |\n| AC-6 | Проверка: руками |\n| AC-7 | `make` |\n"
    )
    assert [label for label, criterion in read(text).items() if criterion.cue] == ["AC-1", "AC-4", "AC-7"]


@pytest.mark.parametrize(("name", "task"), [("ac-forms", "ACF-0001"), ("fences-and-prefixes", "FEN-0002")])
def test_the_known_workspaces_give_the_known_answers(read: Read, name: str, task: str) -> None:
    folder = WORKSPACES / name
    expected = json.loads((folder / "expected.json").read_text())
    found = read((folder / f"datarim/prd/PRD-{task}.md").read_text())
    uncovered = [label for label, criterion in found.items() if criterion.cue is None]
    assert uncovered == [entry["ac_criteria"][0] for entry in expected["expect"]]
    assert not {entry["ac_criteria"][0] for entry in expected["forbid"]} & set(uncovered)


PARTS = [
    "AC-1",
    "AC-2:",
    "V-AC-3",
    "**",
    "`",
    "Verify:",
    "- ",
    "1. ",
    "    ",
    "\n",
    "\n\n",
    "> ",
    "# ",
    "```\n",
    "<!--",
    "-->",
    "..",
    " ",
    "x",
    "see ",
    "(",
    ")",
    "[",
    "]",
    "make",
]
FRAGMENTS = st.lists(st.sampled_from([*PARTS, "| "]), max_size=40)


@pytest.mark.parametrize(
    "hostile",
    [
        lambda size: "".join(f"- AC-{number}: x\n" for number in range(1000, 1000 + size)),
        lambda size: "".join(f"AC-{number}: x\n" for number in range(1000, 1000 + size)),
        lambda size: "- AC-1: x\n" * size,
        lambda size: "".join(f"{'#' * (number % 6 + 1)} AC-{number}\n" for number in range(1000, 1000 + size)),
        lambda size: "- AC-1: " + "`a` " * size + "Verify: " * size,
        lambda size: "- AC-1: `" + "A=1 " * size + "`",
        lambda size: "- AC-1: x\n" + "  b **c** `d`\n" * size,
        lambda size: "| AC |\n| - |\n" + "| AC-1 |\n" * size,
        lambda size: "- " + "AC-1..AC-9, " * size + ":",
    ],
)
def test_twice_the_criteria_are_twice_the_work(rules: CriteriaRules, hostile: Callable[[int], str]) -> None:
    def calls(text: str) -> int:
        blocks, count = parse_markdown(text), 0

        def note(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event.endswith("call")

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            find_criteria(blocks, rules)
        finally:
            sys.setprofile(before)
        return count

    assert calls(hostile(200)) < 2.6 * calls(hostile(100)) + 300


@given(FRAGMENTS)
def test_any_document_gives_blocks_that_do_not_overlap(rules: CriteriaRules, fragments: list[str]) -> None:
    text = "".join(fragments)
    lines = text.count("\n") + 1
    found = find_criteria(parse_markdown(text), rules)
    places = sorted({(d.line, d.end) for criterion in found for d in criterion.definitions})
    assert all(1 <= line <= end <= lines for line, end in places)
    assert all(end < line for (_, end), (line, _) in pairwise(places))
    for criterion in found:
        source = text.split("\n")[criterion.line - 1]
        assert criterion.label in labels_in(source.replace("*", "").replace("`", " "), rules) or "<!--" in source


def test_a_document_that_defines_more_criteria_than_anybody_reads_is_not_judged(policies: PolicySet) -> None:
    rules = CriteriaRules.from_policy(policies)
    text = "".join(f"- V-AC-{number}00..V-AC-{number}99: x\n" for number in range(1, 502))
    with pytest.raises(VerificationUndetermined, match="more than 50000"):
        find_criteria(parse_markdown(text), rules)

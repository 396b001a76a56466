"""Sections: each heading with its own text, and the headings around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.documents.sections import holds, sections_of, within
from verify.markdown import parse_markdown

DOCUMENT = """intro

# Plan **A**

text

## Risks `now`

- one
- two

### Deep

deep text

## Rollback

```
code
```
"""


def test_each_heading_has_its_own_blocks_and_the_headings_around_it() -> None:
    found = [(it.words, it.level, it.line, it.end, it.parents) for it in sections_of(parse_markdown(DOCUMENT))]
    assert found == [
        ("", 0, 1, 1, ()),
        ("plan a", 1, 3, 5, ()),
        ("risks", 2, 7, 10, ("plan a",)),
        ("deep", 3, 12, 14, ("plan a", "risks")),
        ("rollback", 2, 16, 20, ("plan a",)),
    ]


def test_the_text_of_a_section_is_its_prose_alone() -> None:
    sections = sections_of(parse_markdown("## A\n\none\n\n```\ncode\n```\n\n<!-- no -->\n\n- two\n\n### B\n\nthree\n"))
    assert [section.text for section in sections] == ["one\ntwo", "three"]


def test_a_level_that_is_skipped_still_nests() -> None:
    sections = sections_of(parse_markdown("# A\n\n#### B\n\n## C\n\n### D\n"))
    assert [section.parents for section in sections] == [(), ("a",), ("a",), ("a", "c")]


@pytest.mark.parametrize("text", ["> # Quoted\n> text\n", "- # Listed\n\n  text\n"])
def test_a_heading_inside_a_quote_or_a_list_opens_no_section(text: str) -> None:
    (section,) = sections_of(parse_markdown(text))
    assert section.heading is None


def test_an_empty_document_has_no_sections() -> None:
    assert sections_of(parse_markdown("")) == ()


def test_a_section_is_within_what_encloses_it() -> None:
    sections = sections_of(parse_markdown("# Plan\n\n## Risks\n\n### Deep\n\n## Next\n"))
    assert [it.words for it in within(sections, ["risks"])] == ["risks", "deep"]
    assert [it.words for it in within(sections, ["risks"], but=["deep"])] == ["risks"]
    assert within(sections, ["missing"]) == ()


@pytest.mark.parametrize(
    ("words", "names", "held"),
    [
        ("risk analysis", {"risk"}, True),
        ("risky business", {"risk"}, False),
        ("our rollback plan", frozenset({"rollback plan"}), True),
        ("rollback planning", {"rollback plan"}, False),
        ("a plan", [], False),
        ("", {"risk"}, False),
        ("план отката", ["отката"], True),
    ],
)
def test_a_name_is_held_as_whole_words(words: str, names: list[str], held: bool) -> None:
    assert holds(words, names) is held


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from("abc")), max_size=12))
def test_every_heading_is_a_section_and_its_parents_are_of_higher_levels(headings: list[tuple[int, str]]) -> None:
    text = "\n\n".join(f"{'#' * level} {name}\n\ntext {place}" for place, (level, name) in enumerate(headings))
    sections = sections_of(parse_markdown(text))
    assert [(it.level, it.words) for it in sections] == headings
    levels: list[int] = []
    for section in sections:
        levels = [level for level in levels if level < section.level]
        assert len(section.parents) == len(levels)
        levels.append(section.level)
    assert "".join(it.text for it in sections) == "".join(f"text {place}" for place in range(len(headings)))

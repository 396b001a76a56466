"""Where requirements are declared, how their ids are spelled, and what declares none."""

from __future__ import annotations

from typing import Any

import pytest

COVER = "\n- V-AC-1: it holds. Covers: {}\n"


@pytest.mark.parametrize(
    "written",
    [
        "# D-REQ-01: keep totals",
        "###### D-REQ-01 — keep totals",
        "### 3.2 D-REQ-01: keep totals",
        "- **D-REQ-01** — keep totals",
        "* D-REQ-01: keep totals",
        "+ **D-REQ-01:** keep totals",
        "2. D-REQ-01: keep totals",
        "- [ ] D-REQ-01: keep totals",
        "**D-REQ-01:** keep totals",
        "| id | text |\n| --- | --- |\n| D-REQ-01 | keep totals |",
        "| # | id | text |\n| --- | --- | --- |\n| 1 | **D-REQ-01** | keep totals |",
        "### Requirement D-REQ-01: keep totals",
        "- D\u2011REQ\u201101: keep totals",
    ],
)
def test_a_requirement_is_declared_in_any_of_these_forms(reader: Any, written: str) -> None:
    assert reader.found(written + "\n" + COVER.format("D-REQ-01")) == []


@pytest.mark.parametrize(
    "written",
    [
        "D-REQ-01 is what we talk about.",
        "We keep D-REQ-01: it matters.",
        "```\n### D-REQ-01: keep totals\n```",
        "<!--\n- **D-REQ-01** keep totals\n-->",
        "`D-REQ-01: keep totals`",
        "| text | id |\n| --- | --- |\n| keep totals | D-REQ-01 |",
        "## References\n\n- D-REQ-01: keep totals",
        "- V-AC-9 / D-REQ-01: a line of two kinds",
        "- D-REQ-01: see PRD-ABC-0007",
    ],
)
def test_what_only_mentions_an_id_declares_nothing(reader: Any, written: str) -> None:
    rules = [rule for rule, _ in reader.found(written + "\n\n## Criteria\n" + COVER.format("D-REQ-01"))]
    assert "dreq-dangling" in rules


@pytest.mark.parametrize(
    "written",
    ["D-REQ-1", "DREQ-01", "d-req-01", "D-REQ-A1", "D-REQ01", "D_REQ_01", "D-REQ-1.2", "D-REQ-nn", "D-REQ 01"],
)
def test_a_misspelt_id_is_one_fault_where_it_is_declared_and_none_where_it_is_cited_as_declared(
    reader: Any, written: str
) -> None:
    assert reader.found(f"### {written}: keep totals\n{COVER.format(written)}") == [("dreq-id-format", 1)]


def test_a_misspelt_citation_of_a_declared_requirement_is_one_fault_and_covers_it_all_the_same(reader: Any) -> None:
    assert reader.found("### D-REQ-01: keep\n" + COVER.format("D-REQ-1")) == [("dreq-id-format", 3)]


def test_a_misspelt_citation_of_nothing_is_no_dangling_one_beside(reader: Any) -> None:
    assert reader.found("### D-REQ-01: keep\n" + COVER.format("D-REQ-01, D-REQ-Z9")) == [("dreq-id-format", 3)]


def test_beside_a_misspelt_citation_of_nothing_a_well_spelt_one_is_told_too(reader: Any) -> None:
    found = reader.found("### D-REQ-01: keep. Deferred: no budget\n" + COVER.format("D-REQ-77, D-REQ-Z9"))
    assert found == [("dreq-id-format", 3), ("covers-resolves", 3)]
    alone = reader.found("### D-REQ-01: keep. Deferred: no budget\n" + COVER.format("D-REQ-Z9"))
    assert alone == [("dreq-id-format", 3)]


def test_an_id_may_have_more_than_two_digits(reader: Any) -> None:
    assert reader.found("### D-REQ-001: keep\n### D-REQ-1234: show\n" + COVER.format("D-REQ-001, D-REQ-1234")) == []


def test_a_second_declaration_is_told_with_the_first_one_in_its_fix(reader: Any) -> None:
    graph = reader.graph("### D-REQ-01: keep\n\n- **D-REQ-01** — show\n" + COVER.format("D-REQ-01"))
    from verify.spec_graph.lint import faults_of

    (fault,) = faults_of(graph, "L3")
    assert (fault.rule, fault.line) == ("dreq-id-unique", 3)
    assert 'prd.md:1 "### D-REQ-01: keep"' in fault.fix


@pytest.mark.parametrize(
    "repeated",
    [
        "### D-REQ-01\n",
        "| id | criterion |\n| --- | --- |\n| D-REQ-01 | V-AC-1 |\n",
        "| id | text | criterion |\n| --- | --- | --- |\n| D-REQ-01 | keep totals | V-AC-1 |\n",
        "| id | criterion |\n| --- | --- |\n| D-REQ-01: keep totals | V-AC-1 |\n",
        "- [x] D-REQ-01: looked at\n",
        "- V-AC-8: all. Covers:\n  D-REQ-01: keep totals\n",
        "- D-REQ-01 rests on D-REQ-02\n",
        "### D-REQ-01..D-REQ-02: storage\n",
        "### V-AC-7: all of it\n\nCovers: D-REQ-01\n\n- D-REQ-01: keep\n",
        "- V-AC-8: all\n  Covers:\n  - D-REQ-01: keep\n  - D-REQ-02: show\n",
    ],
)
def test_what_comes_back_to_a_declared_requirement_declares_it_no_second_time(reader: Any, repeated: str) -> None:
    declared = "### D-REQ-01: keep totals\n### D-REQ-02: show totals\n"
    assert reader.found(f"{declared}\n## More\n\n{repeated}\n## Criteria\n{COVER.format('D-REQ-01, D-REQ-02')}") == []


def test_bare_headings_declare_where_nothing_else_does(reader: Any) -> None:
    twice = "### D-REQ-01\n\nKeep.\n\n### D-REQ-01\n\nShow.\n\n## Criteria\n" + COVER.format("D-REQ-01")
    assert reader.found(twice) == [("dreq-id-unique", 5)]


def test_a_deferred_requirement_is_no_orphan(reader: Any) -> None:
    prd = "### D-REQ-01: keep\n### D-REQ-02: show\n\nDeferred: next year\n\n- **D-REQ-03** x. Deferred: tbd\n"
    assert reader.found(prd + COVER.format("D-REQ-01")) == [("dreq-orphan", 6)]


def test_what_a_criterion_says_of_itself_defers_no_requirement(reader: Any) -> None:
    prd = "- **D-REQ-01** keep\n- V-AC-1: x. Covers: D-REQ-02\n  Deferred: next year\n- **D-REQ-02** show\n"
    assert reader.found(prd) == [("dreq-orphan", 1)]


def test_what_a_requirement_says_of_itself_is_no_part_of_the_criterion_above_it(reader: Any) -> None:
    prd = "- V-AC-1: x\n- **D-REQ-01** keep. Covers: D-REQ-01\n"
    assert reader.found(prd) == [("dreq-orphan", 2), ("vac-covers-present", 1)]

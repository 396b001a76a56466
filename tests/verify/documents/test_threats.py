"""STRIDE: six categories with an answer each, or a reason why there is no security design."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.threats import Stride, StrideRules, read_stride
from verify.markdown import parse_markdown

NAMES = (
    "Spoofing",
    "Tampering",
    "Repudiation",
    "Information disclosure",
    "Denial of service",
    "Elevation of privilege",
)
RUSSIAN = (
    "Подмена личности",
    "Искажение данных",
    "Отказ от авторства",
    "Раскрытие информации",
    "Отказ в обслуживании",
    "Повышение привилегий",
)
LETTERS = tuple("STRIDE")


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> StrideRules:
    return StrideRules.from_policy(policies, CriteriaRules.from_policy(policies), "·")


def read(text: str, rules: StrideRules) -> Stride:
    return read_stride(parse_markdown(text), rules)


ROW = "| {} | tokens |\n"
SHAPES = {
    "table": ("| threat | answer |\n| --- | --- |\n", ROW),
    "wide table": ("| # | threat | who | mitigation |\n| --- | --- | --- | --- |\n", "| 1 | {} | anybody | tokens |\n"),
    "list": ("", "- {}: tokens\n"),
    "bold list": ("", "- **{}** — `tokens`\n"),
    "numbered list": ("", "1. {} - tokens\n"),
    "nested list": ("", "- {}\n  - tokens\n"),
    "paragraphs": ("", "**{}:** tokens\n\n"),
    "headings": ("", "### {}\n\ntokens\n\n"),
    "numbered headings": ("", "### 4.1 {}\n\n- tokens\n\n"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("names", [NAMES, RUSSIAN, LETTERS, tuple(f"{n[0]} — {n}" for n in NAMES)])
def test_six_answers_in_any_shape_and_language(shape: str, names: tuple[str, ...], rules: StrideRules) -> None:
    head, line = SHAPES[shape]
    text = f"# Plan\n\n## Security design\n\n{head}" + "".join(line.format(name) for name in names)
    assert read(text, rules).missing == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_category_that_is_left_out_is_missing(shape: str, rules: StrideRules) -> None:
    head, line = SHAPES[shape]
    text = f"## Security\n\n{head}" + "".join(line.format(name) for name in NAMES if name != "Repudiation")
    assert read(text, rules).missing == ("Repudiation",)


@pytest.mark.parametrize(
    "answer",
    [
        "n/a because local only",
        "n/a — local only",
        "not applicable: one user",
        "не применимо, так как локально",
        "no privileges",
    ],
)
@pytest.mark.parametrize("shape", ["table", "list", "paragraphs", "headings"])
def test_not_applicable_with_a_reason_is_an_answer(shape: str, answer: str, rules: StrideRules) -> None:
    head, line = SHAPES[shape]
    text = head + "".join(line.format(name) for name in NAMES).replace("tokens", answer)
    assert read(text, rules).missing == ()


@pytest.mark.parametrize(
    "answer", ["n/a", "N/A.", "", "-", "TBD", "none", "not applicable", "нет", "no threat", "none identified"]
)
@pytest.mark.parametrize("shape", ["table", "list", "paragraphs", "headings", "wide table"])
def test_a_category_without_a_reason_is_named_and_not_answered(shape: str, answer: str, rules: StrideRules) -> None:
    head, line = SHAPES[shape]
    text = f"## Security\n\n{head}" + "".join(line.format(name) for name in NAMES).replace("tokens", answer)
    found = read(f"{text}\n## Rollback\n\nRevert.\n", rules)
    assert found.missing == NAMES
    assert found.named.keys() == set(NAMES)


def test_a_row_is_answered_by_its_column_of_answers_not_by_another(rules: StrideRules) -> None:
    text = "| threat | example | mitigation |\n| --- | --- | --- |\n| Spoofing | a thief logs in | |\n"
    assert "Spoofing" in read(text, rules).missing


def test_one_line_may_answer_several_categories(rules: StrideRules) -> None:
    text = "## STRIDE\n\n- Spoofing, Tampering and Repudiation: signed\n- I/D/E: n/a because it is a document\n"
    assert read(text, rules).missing == ()


def test_categories_may_head_the_columns(rules: StrideRules) -> None:
    text = f"| part | {' | '.join(NAMES)} |\n|{' --- |' * 7}\n| store | a1 | b1 | c1 | d1 | e1 | |\n"
    assert read(text, rules).missing == ("Elevation of privilege",)


def test_letters_stand_for_categories_only_where_security_is_the_subject(rules: StrideRules) -> None:
    letters = "".join(f"- {letter}: tokens\n" for letter in LETTERS)
    assert read(f"## Drives\n\n{letters}", rules).missing == NAMES
    assert read(f"## Threats\n\n{letters}", rules).missing == ()


def test_a_table_of_letters_needs_no_heading(rules: StrideRules) -> None:
    text = "| x | answer |\n| --- | --- |\n" + "".join(ROW.format(letter) for letter in LETTERS)
    assert read(text, rules).missing == ()


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "".join(f"- {name}: tokens\n" for name in NAMES) + "```\n",
        "<!--\n" + "".join(f"- {name}: tokens\n" for name in NAMES) + "-->\n",
        "We looked at spoofing, tampering and all the rest of STRIDE.\n",
        "## Steps\n\nIt protects against\nspoofing by tokens and\ntampering by checksums.\n",
        "## STRIDE\n\nAll six are covered.\n",
    ],
)
def test_a_mention_is_no_answer(text: str, rules: StrideRules) -> None:
    assert read(text, rules).missing == NAMES


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Plan\n\nSecurity design: not applicable — documents only\n", 3),
        ("**Security design:** n/a because documents only\n", 1),
        ("- STRIDE: not applicable (documents only)\n", 1),
        ("## Security design: not applicable — documents only\n", 1),
        ("## Security design\n\nNot applicable: documents only.\n", 1),
        ("Безопасность: не применимо — меняется только текст\n", 1),
    ],
)
def test_a_reason_may_stand_for_the_whole_design(text: str, line: int, rules: StrideRules) -> None:
    assert read(text, rules).exempted == line


@pytest.mark.parametrize(
    "text",
    [
        "Security design: not applicable\n",
        "Security design: n/a\n",
        "Security design: see the wiki\n",
        "Security design: TBD\n",
        "## Security design\n\nNot applicable.\n",
        "`Security design: not applicable — documents only`\n",
    ],
)
def test_without_a_reason_nothing_is_exempted(text: str, rules: StrideRules) -> None:
    assert read(text, rules).exempted == 0


@given(st.sets(st.sampled_from(NAMES)))
def test_exactly_what_is_not_answered_is_missing(rules: StrideRules, answered: set[str]) -> None:
    text = "".join(f"- {name}: tokens\n" for name in NAMES if name in answered)
    assert set(read(text, rules).missing) == set(NAMES) - answered

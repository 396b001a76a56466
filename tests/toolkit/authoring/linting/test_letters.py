"""Characters that nobody sees, and letters that look like others."""

from __future__ import annotations

import pytest

from toolkit.authoring.linting.characters import hold_characters
from toolkit.authoring.linting.homoglyphs import hold_letters
from toolkit.policy.layers import REPOSITORY, Source
from toolkit.policy.problems import MAX_PROBLEMS, Problem, Problems

KNOWN = {"pass", "ac", "high", "repo.words", "large-change"}


def characters(text: str) -> list[Problem]:
    problems = Problems()
    hold_characters(text.encode(), "policy.yaml", problems)
    return problems.found


def letters(text: str) -> list[Problem]:
    problems = Problems()
    hold_letters([Source("policy.yaml", text.encode(), REPOSITORY)], KNOWN, problems)
    return problems.found


@pytest.mark.parametrize("code_point", [0x202A, 0x202E, 0x2066, 0x2069, 0x200E, 0x200F, 0x061C])
def test_a_bidirectional_control_is_told_wherever_it_stands_comments_included(code_point: int) -> None:
    for text in (f"a: 1  # {chr(code_point)} x\n", f'a: "{chr(code_point)}"\n', f"{chr(code_point)}: 1\n"):
        (problem,) = characters(text)
        assert problem.code == "bidirectional_control"
        assert f"U+{code_point:04X}" in problem.message
        assert chr(code_point) not in problem.message
        assert (problem.mark.line, problem.mark.column) == (1, text.index(chr(code_point)) + 1)


@pytest.mark.parametrize("code_point", [0xAD, 0x200B, 0x200C, 0x2060, 0x3164, 0xFE0F, 0xE0041, 0xE0101, 0x034F])
def test_an_invisible_character_in_a_word_is_told(code_point: int) -> None:
    text = f"first: 1\nsecond: по{chr(code_point)}рог\n"
    (problem,) = characters(text)
    assert problem.code == "invisible_character"
    assert f"U+{code_point:04X}" in problem.message
    assert (problem.mark.line, problem.mark.column) == (2, 11)


def test_what_can_be_seen_is_no_problem() -> None:
    assert characters("a: критерий ✅️ 👩‍💻 1\u00a0000 µs → “x”\n# \u202f\n") == []
    assert characters("\ufeffa: 1\n") == []
    assert characters('a: "\\u200b\\u202e"\n') == []


def test_a_file_full_of_them_is_told_in_a_bounded_way() -> None:
    found = characters("\u200b\n" * 100_000)
    assert len(found) == MAX_PROBLEMS
    assert found[-1].code == "too_many_problems"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id: repo.x\nrows: [{id: p\u0430sses}]\n", "U+0430 (CYRILLIC SMALL LETTER A) resembles 'a'"),
        ("value: крит\u0065рий\n", "U+0065 (LATIN SMALL LETTER E) resembles 'е'"),
        ("p\u03bfrt: 1\n", "U+03BF (GREEK SMALL LETTER OMICRON) resembles 'o'"),
        ('value: "p\\u0430sses"\n', "U+0430"),
        ("value: ta\u043ae\n", "U+043A (CYRILLIC SMALL LETTER KA) resembles 'k'"),
        ("value: \uff48igh up\n", "U+FF48 (FULLWIDTH LATIN SMALL LETTER H) resembles 'h'"),
    ],
)
def test_a_word_that_mixes_scripts_is_told_with_the_character_and_what_it_resembles(text: str, told: str) -> None:
    (problem,) = letters(text)
    assert problem.code == "homoglyph"
    assert "mixes scripts" in problem.message
    assert told in problem.message
    assert problem.mark.line == text.count("\n")


@pytest.mark.parametrize(
    "name", ["\u0430\u0441", "h\u0456gh", "large-\u0441hange", "\U0001d429\U0001d41a\U0001d42c\U0001d42c"]
)
def test_a_whole_word_that_looks_like_a_known_name_is_told_as_a_key_and_as_a_value(name: str) -> None:
    for text in (f"{name}: 1\n", f"- {name}\n"):
        (problem,) = letters(text)
        assert problem.code == "homoglyph"
        assert "looks like the name" in problem.message
        assert problem.hint is not None
        assert problem.hint.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "критерии приёмки",
        "осе, раса, сор",
        "SQL-запрос js-файл",
        "μs µs °C Δt Ω",
        r"'\bкритерии\b|\sот\d'",
        r"'[a-zа-яё]+(?:нет|no)'",
        "'*[a-zа-я]*'",
        r"'(?i)[Уу]ровень\s+L\d'",
        "naïve façade über",
        "Tシャツ",
    ],
)
def test_whole_words_symbols_and_patterns_are_no_problem(text: str) -> None:
    assert letters(f"value: [{text}]\n" if "," not in text else f"value: {text}\n") == []


def test_a_problem_names_the_document_and_one_that_can_t_be_read_is_left_to_others() -> None:
    (problem,) = letters("id: repo.words\nb: p\u0430ss\n")
    assert (problem.document, problem.mark.line, problem.mark.column) == ("repo.words", 2, 4)
    assert letters("b: p\u0430ss\nb: [\n") == []

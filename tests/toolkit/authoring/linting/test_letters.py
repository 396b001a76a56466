"""Characters that nobody sees, and letters that look like others."""

from __future__ import annotations

import pytest
from policy_support import head

from toolkit.authoring.linting.characters import hold_characters
from toolkit.authoring.linting.homoglyphs import hold_letters
from toolkit.authoring.linting.names import names_of
from toolkit.authoring.linting.patterns import literals_of
from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import MAX_PROBLEMS, Problem, Problems
from toolkit.policy.sets import PolicySet

KNOWN = {"A", "c", "pass", "ac", "high", "app", "OK", "file", "repo.words", "large-change"}


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


@pytest.mark.parametrize(
    "text",
    [
        "^\u200dsecret",
        "a+\u200db",
        "a=\ufe0fb",
        "1\ufe0fb",
        "°\ufe0f",
        "✅\u200dsecret",
        "a\u200d✅",
        "✅ \u200d✅",
        "日\u200d本",
        "a\u0301\u200db",
        "\u0645\u200ca",
        "e\u200c\u0645",
        "\U0001f3f4\U000e0070\U000e0061\U000e007f",
    ],
)
def test_a_joiner_or_a_selector_where_no_picture_and_no_script_needs_it_is_told(text: str) -> None:
    assert {one.code for one in characters(f"a: '{text}'\n")} == {"invisible_character"}


def test_of_several_joiners_in_a_row_only_one_may_be_needed() -> None:
    assert len(characters("<" + "\u200d" * 5)) == 5
    assert len(characters("✅\ufe0f\ufe0f")) == 1
    assert len(characters("👩\u200d\u200d💻")) == 2
    assert len(characters("\u0645\u06cc\u200c\u200c\u0634")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "👩🏽\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 🙂\u200d↔\ufe0f",
        "1\ufe0f\u20e3 #\ufe0f\u20e3",
        "ℹ\ufe0f ‼\ufe0f 〰\ufe0f ↔\ufe0f ©\ufe0f ▶\ufe0e",
        "\u0645\u06cc\u200c\u0634\u0648\u062f",  # Persian
        "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",  # Devanagari
        "\u0d28\u0d4d\u200d.",  # a chillu of Malayalam ends a word
        "\u09b0\u200d\u09cd\u09af",  # Bengali
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    ],
)
def test_a_joiner_that_a_picture_or_a_script_needs_is_no_problem(text: str) -> None:
    assert characters(f"a: '{text}'\n") == []


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
        ("value: PDFы\n", "U+044B (CYRILLIC SMALL LETTER YERU)"),
        ("value: \u0261ы\n", "U+044B (CYRILLIC SMALL LETTER YERU)"),
        ("value: p\u03b1ss up\n", "U+03B1 (GREEK SMALL LETTER ALPHA) resembles 'a'"),
        ("glob: ['[\u0430]dmin/**']\n", "U+0430 (CYRILLIC SMALL LETTER A) resembles 'a'"),
        ("glob: '[\u0430-\u0430][d]min/**'\n", "U+0430"),
        ("glob: ['\\\u0430dmin/**']\n", "U+0430"),
        ("glob: ['*[a-zа-я]*', '[A-Z]/p\u0430ss']\n", "U+0430"),
        ("matches: ['^p\u0430ss\\b']\n", "U+0430"),
        ("not: {matches: ['[а-я]+p[\u0430]ss']}\n", "U+0430"),
        ("glob: ['[\u0430\u0410]dmin/**']\n", "U+0430"),
        ("value: \u03b1x\n", "U+03B1 (GREEK SMALL LETTER ALPHA) resembles 'a'"),
        ("glob: ['[p\u0430ss']\n", "U+0430"),
        ("title: '[a-z\u0430-я] \\ *'\n", "U+0430"),
    ],
)
def test_a_word_that_mixes_scripts_is_told_with_the_character_and_what_it_resembles(text: str, told: str) -> None:
    (problem,) = letters(text)
    assert problem.code == "homoglyph"
    assert "mixes scripts" in problem.message
    assert told in problem.message
    assert problem.mark.line == text.count("\n")


@pytest.mark.parametrize(
    "name",
    [
        "\u0430\u0441",
        "h\u0456gh",
        "large-\u0441hange",
        "\U0001d429\U0001d41a\U0001d42c\U0001d42c",
        "hi\u0261h",
        "h\u0131gh",
        "\u0251pp",
        "\u1d00pp",
        "\u041eK",
        "\ufb01le",
        "fi\u04c0e",
    ],
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
        "σx Δt xⁿ nº m² 1ª",
        "А, С, о",
        "naïve façade über",
        "Tシャツ",
    ],
)
def test_whole_words_and_symbols_are_no_problem(text: str) -> None:
    assert letters(f"value: [{text}]\n" if "," not in text else f"value: {text}\n") == []


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Za-zА-Яа-яЁё]+$",
        "[a-zа-яё]+",
        r"\bкритерии\b|\sот\d",
        "[a-zа-яё]+(?:нет|no)",
        r"(?i)[Уу]ровень\s+L\d",
        r"\pLы\p{Lu}ы\x41ы\x{41}ы",
        r"[\]a-zа-я]x",
        "[[:alpha:]а]x",
        "[^а]x",
    ],
)
def test_the_escapes_and_classes_of_a_pattern_are_no_words(pattern: str) -> None:
    assert letters(f"when: {{text: {{matches: ['{pattern}']}}}}\n") == []


@pytest.mark.parametrize("text", ["[", "[а", "[:", "\\", "[[:a"])
def test_a_hostile_pattern_is_read_once(text: str) -> None:
    assert len(literals_of(text * 100_000 + "я", "glob")) <= len(text) * 100_000 + 1


def test_a_class_of_a_glob_is_no_word() -> None:
    assert letters("glob: ['*[a-zа-я]*', '[аб]x[!а]']\n") == []


@pytest.mark.parametrize("word", ["\uff48igh up", "\U0001d429 up", "\u212a up", "o\ufb03ce", "\uff11 up"])
@pytest.mark.parametrize("key", ["title", "glob", "matches"])
def test_a_letter_that_is_another_form_of_one_of_ascii_is_always_told(key: str, word: str) -> None:
    for text in (word, f"[{word}]"):
        (problem,) = letters(f"{key}: '{text}'\n")
        assert problem.code == "homoglyph"
        assert "is another form of" in problem.message


def test_the_terms_that_an_input_lists_are_names_that_the_set_knows() -> None:
    text = head("table", "app.one") + (
        "inputs: {kind: {type: term, one_of: [quick, slow]}}\n"
        "outputs: {way: {type: list, items: {type: term, one_of: [steep]}}}\n"
        "hit: first\nrows:\n  - {id: all, then: {way: [steep]}}\n"
    )
    known = names_of(PolicySet.load([Source("one.yaml", text.encode(), SHIPPED)], {}))
    assert {"quick", "slow", "steep", "all", "kind"} <= known


def test_a_problem_names_the_document_and_one_that_can_t_be_read_is_left_to_others() -> None:
    (problem,) = letters("id: repo.words\nb: p\u0430ss\n")
    assert (problem.document, problem.mark.line, problem.mark.column) == ("repo.words", 2, 4)
    assert letters("b: p\u0430ss\nb: [\n") == []

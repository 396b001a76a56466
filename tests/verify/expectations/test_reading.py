"""How a checklist of expectations is read: indentation counts, comments and fences don't, and faults are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest
from captured_support import ID, checklist, front, wish
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact
from verify.criteria import CriteriaRules
from verify.expectations.reading import Expectations, read_expectations
from verify.expectations.rules import ExpectationRules

Read = Callable[[str], Expectations]
VALID = checklist(wish())


@pytest.fixture(scope="session")
def read(policies: PolicySet) -> Read:
    rules, labels = ExpectationRules.from_policy(policies), CriteriaRules.from_policy(policies).labels
    return lambda text: read_expectations(
        Artifact("expectations", f"datarim/tasks/{ID}-expectations.md", text, "sha256:0"), rules, labels
    )


def codes(read: Expectations) -> list[str]:
    return [problem.code for problem in read.problems]


def messages(read: Expectations) -> str:
    return "\n".join(f"{problem.line}: {problem.message}" for problem in read.problems)


def test_a_wish_is_read_with_everything_that_it_says(read: Read) -> None:
    said = {"override": "the owner accepts it as it is", "override_by": "operator", "verification_mode": "one-off"}
    found = read(checklist(wish("totals", "missed", said, linked="V-AC-1..V-AC-3, V-AC-A1"), version=3))
    assert not found.problems, messages(found)
    (only,) = found.wishes
    assert (only.wish_id, only.title, only.line) == ("totals", "title of totals", 11)
    assert (only.linked, only.linked_line) == (("V-AC-1", "V-AC-2", "V-AC-3", "V-AC-A1"), 13)
    assert (only.status, only.evidence_type, only.verification_mode) == ("missed", "empirical", "one-off")
    assert (only.override.value, only.override_by) == ("the owner accepts it as it is", "operator")
    assert (found.version, found.deprecated) == ("3", False)


# What an honest file may look like: each of these is read as the plain one is.
SAME = {
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
    "old mac line ends": lambda text: text.replace("\n", "\r"),
    "decomposed letters": lambda text: normalize("NFD", text),
    "trailing spaces": lambda text: text.replace("\n", "  \n").replace("---  \n", "---\n"),
    "blank lines between fields": lambda text: text.replace("\n  - ", "\n\n  - "),
    "blank lines around entries": lambda text: text.replace("\n    - ", "\n\n    - "),
    "no blank line at all": lambda text: text.replace("## Ожидания\n\n", "## Ожидания\n"),
    "no last line end": lambda text: text.rstrip("\n"),
    "stars for bullets": lambda text: text.replace("\n- ", "\n* ").replace("  - ", "  * "),
    "plus signs inside": lambda text: text.replace("  - ", "  + "),
    "a checkbox": lambda text: text.replace("- **1.", "- [ ] **1."),
    "a ticked box": lambda text: text.replace("- **1.", "- [x] **1."),
    "a bracket after the number": lambda text: text.replace("**1. ", "**1) "),
    "only the number in bold": lambda text: text.replace("**1. title of totals**", "**1.** title of totals"),
    "underscores for bold": lambda text: text.replace("**1. title of totals**", "__1. title of totals__"),
    "a blank inside the bold": lambda text: text.replace("**1. title of totals**", "**1. title of totals **"),
    "a bold name of a field": lambda text: text.replace("wish_id:", "**wish_id:**"),
    "a name of a field in code": lambda text: text.replace("wish_id: totals", "`wish_id`: `totals`"),
    "bold outside of the colon": lambda text: text.replace("evidence_type:", "**evidence_type**:"),
    "other case": lambda text: text.replace("evidence_type: empirical", "Evidence_Type: Empirical"),
    "English names": lambda _text: checklist(wish(english=True), heading="## Expectations"),
    "a heading that goes on": lambda text: text.replace("## Ожидания", "## Ожидания (список)"),
    "an underlined heading": lambda text: text.replace("## Ожидания\n", "Ожидания\n---\n"),
    "a closed heading": lambda text: text.replace("## Ожидания", "## Ожидания ##"),
    "a comment after a value": lambda text: text.replace("wish_id: totals", "wish_id: totals <!-- the sums -->"),
    "a comment between": lambda text: text.replace("  - evidence", "  <!-- - wish_id: other -->\n  - evidence"),
    "an unknown field": lambda text: text.replace("  - evidence", "  - owner: me\n    - and you\n  - evidence"),
    "sections around": lambda text: (
        text.replace("## Ожидания", "# T\n\n## Контекст\n\n- **1. x**\n\n## Ожидания") + "\n## Дальше\n\n- **9. y**\n"
    ),
    "a subheading of their own": lambda text: text.replace("- **1.", "### Group\n\n- **1."),
    "several lines of a value": lambda text: text.replace(
        "run it and look", "run it\n    and look:\n    - twice: a\n    - b"
    ),
    "a value that begins below": lambda text: text.replace(
        "run it and look", "\n    ```sh\n    - wish_id: no\n    ```"
    ),
    "fields without bullets": lambda text: text.replace("  - evidence_type", "  evidence_type"),
    "the history as a plain heading": lambda text: text.replace("  - #### История", "#### История"),
    "both as plain headings": lambda text: text.replace("  - #### ", "#### ").replace("    - ", "- "),
    "plain headings, deep entries": lambda text: text.replace("  - #### ", "\n#### ").replace("\n    - ", "\n\n    - "),
    "a deeper heading": lambda text: text.replace("####", "#####"),
    "headings in bold": lambda text: text.replace("#### История статусов", "**История статусов**"),
    "a colon after a heading": lambda text: text.replace("Текущий статус", "Текущий статус:"),
    "the status on the line": lambda text: text.replace("Текущий статус\n    - met", "Текущий статус: met"),
    "dashes in the history": lambda text: text.replace(" · ", " - "),
    "an entry of two lines": lambda text: text.replace(" · reason: seeded", "\n      reason: seeded"),
    "several entries": lambda text: text.replace("  - #### Текущий", "    - 2 · b · c · reason: d\n  - #### Текущий"),
    "a remark after the status": lambda text: text.replace("    - met", "    - met (looked at it)"),
    "a tick": lambda text: text.replace("    - met", "    - met ✅"),
    "the status in bold": lambda text: text.replace("    - met", "    - **met**"),
    "a tab for four columns": lambda text: text.replace("    - met", "\t- met"),
    "fields in another order": lambda text: (
        text.replace("  - wish_id: totals\n", "").rstrip() + "\n  - wish_id: totals\n"
    ),
    "a quotation below": lambda text: text.replace("run it and look", "run it and look\n    > wish_id: no"),
    "a table below": lambda text: text.replace(
        "run it and look", "run\n\n    | a | b |\n    |---|---|\n    | c | d |\n"
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_an_honest_way_of_writing_changes_nothing(read: Read, name: str) -> None:
    text = SAME[name](VALID)
    assert text != VALID
    found = read(text)
    assert not found.problems, messages(found)
    assert [(one.wish_id, one.status, one.evidence_type, one.linked) for one in found.wishes] == [
        ("totals", "met", "empirical", ("V-AC-1",))
    ]


@pytest.mark.parametrize("slug", ["быстро-и-ясно", "速い", "a", "v2-totals", "हिन्दी-शब्द", "UPPER", "a--b", "é"])
def test_an_id_is_a_slug_of_any_script(read: Read, slug: str) -> None:
    for form in ("NFC", "NFD"):
        found = read(checklist(wish(normalize(form, slug))))
        assert not found.problems, messages(found)
        assert found.wishes[0].wish_id == normalize("NFC", slug)


@pytest.mark.parametrize("slug", ["two words", "a|b", "a,b", "-a", "a-", "a/b", "a_b", "a.b", "a\u200bb", "a:b"])
def test_an_id_that_is_no_slug_is_refused(read: Read, slug: str) -> None:
    assert codes(read(checklist(wish(slug)))) == ["wish-id"]


def test_an_id_is_given_once(read: Read) -> None:
    found = read(checklist(wish("a"), wish("b", number=2), wish("a", number=3)))
    assert codes(found) == ["wish-id-twice"]
    assert "the wish of line 12" in messages(found)


@pytest.mark.parametrize(
    ("written", "wrong", "message"),
    [
        ("  - wish_id: ", "    - wish_id: ", "wish_id stands at 4 spaces"),
        ("  - wish_id: ", "- wish_id: ", "wish_id stands at 0 spaces"),
        ("  - wish_id: ", " - wish_id: ", "wish_id stands at 1 space;"),
        ("  - wish_id: ", "\t- wish_id: ", "wish_id stands at 4 spaces"),
        ("  - wish_id: ", "      - wish_id: ", "wish_id stands at 6 spaces"),
        ("  - wish_id: ", "            wish_id: ", "wish_id stands at the wrong indent: 12"),
        ("  - evidence_type: ", "   - evidence_type: ", "evidence_type stands at the wrong indent: 3"),
        ("  - evidence_type: ", "    - evidence_type: ", "evidence_type stands at the wrong indent: 4"),
        ("  - evidence_type: ", "    evidence_type: ", "evidence_type stands at the wrong indent: 4"),
        ("  - Связанный", "- Связанный", "Связанный AC из PRD stands at the wrong indent: 0"),
        ("  - #### История", "    - #### История", "История статусов stands at the wrong indent: 4"),
        ("  - #### Текущий", "- #### Текущий", "Текущий статус stands at the wrong indent: 0"),
        ("    - met", "  - met", "a status below Текущий статус stands at the wrong indent: 2"),
        ("    - met", "      - met", "a status below Текущий статус stands at the wrong indent: 6"),
        ("    - 2026", "  - 2026", "an entry below История статусов stands at the wrong indent: 2"),
        ("    - 2026", "   - 2026", "an entry below История статусов stands at the wrong indent: 3"),
    ],
)
def test_a_field_at_the_wrong_indent_is_an_error_that_says_so(
    read: Read, written: str, wrong: str, message: str
) -> None:
    text = VALID.replace(written, wrong)
    assert text != VALID
    found = read(text)
    assert message in messages(found)
    assert {problem.code for problem in found.problems} <= {"field-indent", "entry-indent"}


def test_an_override_at_the_wrong_indent_is_told_and_does_not_count(read: Read) -> None:
    text = checklist(wish(status="partial")).replace(
        "  - evidence", "    - override: good enough for now\n  - evidence"
    )
    found = read(text)
    assert codes(found) == ["field-indent"]
    assert found.wishes[0].override.value == ""


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("  - wish_id: totals\n", "wish_id is missing"),
        ("  - Связанный AC из PRD: V-AC-1\n", "Связанный AC из PRD is missing"),
        ("  - Как проверить (success criterion): run it and look\n", "Как проверить (success criterion) is missing"),
        ("  - evidence_type: empirical\n", "evidence_type is missing"),
        ("  - #### История статусов\n", "История статусов is missing"),
        ("  - #### Текущий статус\n    - met\n", "Текущий статус is missing"),
        ("    - met\n", "below Текущий статус there is no line - a status at 4 spaces"),
        ("    - 2026-11-20 · /dr-prd · pending → met · reason: seeded\n", "below История статусов there is no line"),
        (": totals", "wish_id is missing"),
        (": run it and look", "Как проверить"),
        (" · reason: seeded", "the status history has no entry of the form"),
        ("reason: seeded", "the status history has no entry of the form"),
        (" seeded", "the status history has no entry of the form"),
    ],
)
def test_what_a_wish_lacks_is_told_with_its_wish(read: Read, gone: str, message: str) -> None:
    assert gone in VALID
    found = read(VALID.replace(gone, ""))
    assert message in messages(found)
    assert "wish 'title of totals', line 11" in messages(found)


def test_a_field_that_says_nothing_is_told(read: Read) -> None:
    for said in ("wish_id: totals", "AC из PRD: V-AC-1", "criterion): run it and look", "evidence_type: empirical"):
        assert said in VALID
        found = read(VALID.replace(said, said.partition(":")[0] + ": <!-- later -->"))
        assert codes(found) == ["field-empty"], said


def test_evidence_is_owed_by_version_two_and_a_mode_by_none(read: Read) -> None:
    bare = wish(fields={"evidence_type": ""})
    assert not read(checklist(bare, version=1)).problems
    assert read(checklist(bare, version=1)).deprecated
    assert codes(read(checklist(bare, version=2))) == ["field-missing"]
    assert not read(checklist(wish(), version=3)).problems
    assert not read(checklist(wish(fields={"verification_mode": "reproducible"}), version=3)).problems


def test_a_mode_says_nothing_before_version_three(read: Read) -> None:
    ad_hoc = wish(fields={"verification_mode": "ad hoc"})
    assert not read(checklist(ad_hoc, version=2)).problems
    assert "verification_mode not in enum" in messages(read(checklist(ad_hoc, version=3)))


def test_wishes_of_a_file_without_the_section_are_known_and_its_absence_is_the_one_problem(read: Read) -> None:
    bare = re.sub(r"(?m)^## .*\n", "", VALID)
    found = read(bare)
    assert codes(found) == ["section-missing"]
    assert [one.wish_id for one in found.wishes] == [one.wish_id for one in read(VALID).wishes]
    assert not read(bare.replace("wish_id", "wish")).wishes


def test_a_status_below_another_field_is_known_and_told_to_be_misplaced(read: Read) -> None:
    late = checklist(wish(status="partial")).replace("    - partial", "  - override_by: operator\n    - partial")
    found = read(late)
    assert codes(found) == ["entry-place"]
    assert [(one.status, one.override_by) for one in found.wishes] == [("partial", "operator")]


@pytest.mark.parametrize(("field", "version"), [("evidence_type", 2), ("verification_mode", 3)])
def test_a_value_that_is_none_of_the_known_ones_is_told(read: Read, field: str, version: int) -> None:
    found = read(checklist(wish(fields={"verification_mode": "one-off", field: "mostly static"}), version=version))
    assert codes(found) == ["field-value"]
    assert "'mostly static'" in messages(found)


@pytest.mark.parametrize(
    "status", ["done", "not met", "met?", "pending → met", "met (was partial)", "partial/missed", "#"]
)
def test_a_status_that_is_none_is_told(read: Read, status: str) -> None:
    found = read(VALID.replace("    - met", f"    - {status}"))
    assert "status" in codes(found) or "entry-missing" in codes(found)
    assert found.wishes[0].status is None


def test_every_status_is_read(read: Read) -> None:
    known = ["pending", "met", "partial", "missed", "n-a", "deleted"]
    found = read(checklist(*(wish(f"w{at}", status) for at, status in enumerate(known))))
    assert not found.problems
    assert [one.status for one in found.wishes] == known
    assert read(checklist(wish(status="n/a"))).wishes[0].status == "n-a"


def test_two_current_statuses_are_none(read: Read) -> None:
    found = read(VALID.replace("    - met", "    - met\n    - partial"))
    assert "several current statuses: met, partial" in messages(found)
    assert found.wishes[0].status is None


def test_two_different_values_of_one_field_are_told(read: Read) -> None:
    more = "  - override: first words here\n  - override: other words here\n  - evidence"
    assert codes(read(VALID.replace("  - evidence", more))) == ["field-twice"]
    assert not read(VALID.replace("  - evidence_type: empirical", "  - evidence_type: empirical\n" * 2)).problems


def test_links_on_several_lines_count_and_remarks_do_not(read: Read) -> None:
    text = VALID.replace(": V-AC-1\n", ":\n    - V-AC-1 (not V-AC-9)\n    - `V-AC-2`\n  - Linked AC: V-AC-4\n")
    assert read(text).wishes[0].linked == ("V-AC-1", "V-AC-2", "V-AC-4")
    assert read(checklist(wish(linked="AC-7, TV-1, V-AC-10"))).wishes[0].linked == ("V-AC-10",)
    assert read(checklist(wish(linked="нет"))).problems == ()


HIDDEN = wish("hidden", "missed", number=2)


@pytest.mark.parametrize(
    "around",
    ["```\n{}```\n", "~~~~ md\n{}~~~~\n", "<!--\n{}-->\n", "<pre>\n{}</pre>\n", "<details><!-- \n{}--></details>\n"],
)
def test_what_fences_and_comments_hold_is_no_wish(read: Read, around: str) -> None:
    found = read(VALID + "\n" + around.format(HIDDEN))
    assert [one.wish_id for one in found.wishes] == ["totals"]
    assert not found.problems, messages(found)


def test_an_override_in_a_comment_does_not_count(read: Read) -> None:
    text = checklist(wish(status="partial")).replace(
        "  - evidence", "  <!--\n  - override: the operator accepts it\n  - override_by: operator\n  -->\n  - evidence"
    )
    assert read(text).wishes[0].override.value == ""
    inline = checklist(wish(status="partial")).replace(
        "run it and look", "run it <!-- and\n  override: the operator accepts it\n  override_by: operator -->"
    )
    assert read(inline).wishes[0].override.value == ""


def test_an_example_in_indented_code_is_no_wish(read: Read) -> None:
    example_of_one = "\n".join(f"    {line}" for line in HIDDEN.splitlines())
    found = read(VALID.replace("- **1.", f"As in:\n\n{example_of_one}\n\n- **1."))
    assert [one.wish_id for one in found.wishes] == ["totals"]
    assert not found.problems, messages(found)


def test_a_wish_that_is_not_written_as_one_swallows_no_other(read: Read) -> None:
    for title in ("- title in plain", "- **title without a number**", "1. **2. numbered**", "### 2. as a heading"):
        found = read(checklist(wish(), HIDDEN.replace("- **2. title of hidden**", title)))
        assert [one.wish_id for one in found.wishes] == ["totals"], title
        assert found.problems, title
        assert {problem.line for problem in found.problems} <= set(range(19, 40))


def test_a_wish_that_is_indented_is_not_hidden_in_the_one_above(read: Read) -> None:
    inner = "\n".join(f"  {line}" for line in HIDDEN.splitlines())
    found = read(checklist(wish(), inner))
    assert "wish_id stands at 4 spaces" in messages(found)


def test_a_list_that_is_indented_as_a_whole_is_told(read: Read) -> None:
    text = checklist("\n".join(f"  {line}" for line in wish().splitlines()))
    assert "item-indent" in codes(read(text))


def test_numbered_steps_of_a_criterion_are_no_wishes(read: Read) -> None:
    found = read(VALID.replace("run it and look", "\n    - **1. start it**\n    - **2. stop it**"))
    assert len(found.wishes) == 1
    assert not found.problems, messages(found)


def test_a_section_without_a_wish_proves_nothing(read: Read) -> None:
    for text in ("", "None yet.\n", "- a note\n- **Note:** another\n"):
        assert codes(read(checklist(text))) == ["no-wishes"]


@pytest.mark.parametrize(("heading", "line"), [("## Wishes", 1), ("### Ожидания", 9), ("# Expectations", 9), ("", 1)])
def test_a_missing_heading_is_told(read: Read, heading: str, line: int) -> None:
    found = read(checklist(wish(), heading=heading))
    assert (codes(found), found.problems[0].line) == (["section-missing"], line)
    assert "## Ожидания or ## Expectations" in messages(found)


def test_two_sections_are_read_as_one(read: Read) -> None:
    found = read(checklist(wish("a")) + "\n## Expectations\n\n" + wish("b", "missed", number=2))
    assert [one.wish_id for one in found.wishes] == ["a", "b"]


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("task_id", "ABC-0002", "front-matter-value"),
        ("task_id", "", "front-matter-key"),
        ("artifact", "init-task", "front-matter-value"),
        ("schema_version", "4", "front-matter-value"),
        ("schema_version", "1.0", "front-matter-value"),
        ("captured_at", "", "front-matter-key"),
        ("captured_by", "''", "front-matter-key"),
        ("status", "", "front-matter-key"),
    ],
)
def test_the_front_matter_is_held_against_the_file(read: Read, key: str, value: str, code: str) -> None:
    head = front("expectations").splitlines()
    lines = [f"{key}: {value}" if line.startswith(f"{key}:") else line for line in head]
    text = "\n".join([*lines, "## Ожидания", "", wish()])
    assert codes(read(text)) == [code]


def test_a_front_matter_that_cannot_be_read_is_one_error_with_its_line(read: Read) -> None:
    found = read(VALID.replace("captured_by: /dr-prd", "captured_by: [unclosed"))
    assert codes(found) == ["front-matter-malformed"]
    assert found.problems[0].line > 1
    assert codes(read(VALID.partition("---\n")[2].partition("---\n")[2])) == ["front-matter-missing"]


LINES = st.sampled_from(
    [
        *VALID.splitlines(),
        *HIDDEN.splitlines(),
        "",
        "```",
        "<!--",
        "-->",
        "    text",
        "\ttext",
        "> quote",
        "- x",
        "***",
        "## T",
    ]
)


@settings(deadline=None)
@given(st.lists(LINES | st.text(max_size=20), max_size=40))
@example(["---", "---", "## Ожидания", "  - #### Текущий статус", "- **1. **", "    - "])
def test_any_text_is_read_and_every_line_of_a_problem_exists(read: Read, lines: list[str]) -> None:
    found = read("\n".join(lines))
    for problem in found.problems:
        assert 1 <= problem.line <= max(len(lines) * 2, 1) + 20
        assert problem.message
    for one in found.wishes:
        assert one.line >= 1


@settings(deadline=None)
@given(st.permutations(["a", "b", "c"]))
def test_wishes_stand_in_the_order_of_the_document(read: Read, ids: list[str]) -> None:
    assert [one.wish_id for one in read(checklist(*map(wish, ids))).wishes] == ids


def test_the_example_of_the_documentation_holds(read: Read) -> None:
    page = (Path(__file__).parents[3] / "docs/datarim.md").read_text()
    shown = page.partition("## Expectations\n")[2].partition("```markdown\n")[2].partition("```\n")[0]
    found = read(shown.replace("ABCD-0001", ID))
    assert not found.problems, messages(found)
    assert [(one.wish_id, one.status) for one in found.wishes] == [("totals-survive", "partial")]
    assert found.wishes[0].linked == ("V-AC-1", "V-AC-3", "V-AC-4", "V-AC-5")

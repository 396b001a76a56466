"""First files: they load as they are written, change nothing that is there, and are as formatting leaves them."""

from __future__ import annotations

import pytest
from policy_support import ANY_SHAPE, data, head, layered, overlay, table
from schemas_support import known_here, tree, validator

from toolkit.authoring.formatting import format_policy
from toolkit.authoring.scaffolds import SCHEMA_LINE, Scaffold, config_text, scaffold
from toolkit.authoring.schemas.published import FOLDER, NAMES, SUFFIX
from toolkit.authoring.testing.asking import asked_of, holds
from toolkit.authoring.testing.cases import Case, read_cases
from toolkit.effects import EFFECTS
from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.shipped import read_shipped

WORDS = head("vocabulary", "t.words") + "anchors: [what]\nterms: [{term: a, what: one}, {term: b, what: two}]\n"
ROWS = table(
    """\
    hit: first
    inputs: {n: {type: integer}}
    outputs: {y: {type: boolean}}
    rows:
      - {id: many, when: {n: {gt: 5}}, then: {y: true}}
      - {id: few, then: {y: false}}
    cases:
      - {id: six, given: {n: 6}, expect: {y: true}, row: many}
    """
)


def in_force(policies: PolicySet, *made: Scaffold) -> PolicySet:
    """The shipped set with these documents as a repository's."""
    shipped = read_shipped()
    sources = [Source(name, text, SHIPPED) for name, text in shipped.documents.items()]
    sources += [Source(f"{one.file}.yaml", one.text.encode(), REPOSITORY) for one in made]
    return PolicySet.load(sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS)


def refused(kind: str, identity: str, policies: PolicySet, base: str | None = None) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        scaffold(kind, identity, policies, base)
    assert caught.value.next_step
    return caught.value


def hold_cases(policies: PolicySet, document: str, least: int) -> None:
    """Every case of a document holds, and there are so many at least."""
    asked = asked_of(policies, document)
    cases = read_cases(policies.entry(document), asked.lists, Problems())
    own = [one for one in cases if isinstance(one, Case) and one.layer == REPOSITORY]
    assert len(own) >= least
    assert len(own) == sum(one.layer == REPOSITORY for one in cases)
    for case in own:
        problems = Problems()
        asked.hold(case, problems)
        assert not problems.found
        assert holds(case.expected, asked.answers(plain(case.given))), case.id


def test_a_first_document_of_each_kind_loads_beside_what_is_shipped(policies: PolicySet) -> None:
    made = [
        *scaffold("vocabulary", "repo.words", policies),
        *scaffold("table", "repo.deep.er.rows", policies),
        *scaffold("machine", "repo.lamp", policies),
    ]

    loaded = in_force(policies, *made)

    assert [one.id for one in made] == ["repo.words", "repo.deep.er.rows", "repo.lamp-state", "repo.lamp"]
    assert [one.file for one in made] == ["words", "deep/er/rows", "lamp-state", "lamp"]
    assert set(loaded.ids) - set(policies.ids) == {one.id for one in made}
    hold_cases(loaded, "repo.deep.er.rows", 3)
    hold_cases(loaded, "repo.lamp", 3)


def test_an_overlay_of_anything_that_is_shipped_loads_and_changes_nothing(policies: PolicySet) -> None:
    made = [scaffold("overlay", f"repo.{base}", policies, base)[0] for base in policies.ids]

    loaded = in_force(policies, *made)

    assert loaded.ids == policies.ids
    for base in policies.ids:
        entry = loaded.entry(base)
        assert loaded.digest(base) == policies.digest(base)
        assert [edit.id for edit in entry.edits] == [f"repo.{base}"]
        if entry.head.kind in ("table", "machine"):
            own = "cases" in entry.node.entries
            hold_cases(loaded, base, 1 if own else 0)


def test_a_first_file_is_as_formatting_would_leave_it_and_its_schema_accepts_it(policies: PolicySet) -> None:
    known = known_here(policies, "repo")
    made = [scaffold("overlay", "repo.edit", policies, base)[0] for base in policies.ids]
    for kind in ("vocabulary", "table", "machine"):
        made += scaffold(kind, f"repo.{kind}", policies)

    validators = {name: validator(name, known) for name in NAMES}
    for one in made:
        assert format_policy(one.text.encode(), one.file).decode() == one.text
        document = tree(one.text)
        assert document["kind"] == one.kind
        assert document["id"] == one.id
        assert not [fault.message for fault in validators[one.kind].iter_errors(document)]
    configuration = config_text("atomic", known.profiles)
    assert format_policy(configuration.encode(), "config.yaml").decode() == configuration
    assert validators["config"].is_valid(tree(configuration))


@pytest.mark.parametrize(("identity", "up"), [("repo.a", 1), ("repo.a.b", 2), ("repo.a.b.c.d", 4)])
def test_the_first_line_names_the_schema_from_where_the_file_stands(
    identity: str, up: int, policies: PolicySet
) -> None:
    (made,) = scaffold("table", identity, policies)

    assert made.text.startswith(f"{SCHEMA_LINE}{'../' * up}{FOLDER}/table{SUFFIX}\n")


def test_an_overlay_asks_for_the_versions_that_promise_the_same() -> None:
    for version, wanted in (("1.4.2", ">=1.4,<2"), ("0.3.1", ">=0.3,<0.4"), ("10.0.0", ">=10.0,<11")):
        shipped = layered(WORDS.replace("version: 1.0.0", f"version: {version}"))
        (made,) = scaffold("overlay", "repo.words", shipped, "t.words")
        assert tree(made.text)["base"] == {"id": "t.words", "version": wanted}
        assert layered(WORDS.replace("version: 1.0.0", f"version: {version}"), repository=[made.text])


def test_an_overlay_of_what_a_profile_edits_asks_for_its_own_version_and_copies_what_is_in_force() -> None:
    edit = overlay("replace: {many: {when: {n: {gt: 9}}, then: {y: true}}}\n", "profile.more", base="t.table")
    policies = layered(ROWS, profile=[edit])

    (made,) = scaffold("overlay", "repo.edit", policies, "t.table")

    document = tree(made.text)
    assert document["base"]["version"] == ">=1.0,<2"
    assert document["replace"] == {"few": {"then": {"y": False}}}
    # Six is no longer many, and the case says what holds here.
    assert document["cases"] == [{"id": "six-here", "given": {"n": 6}, "expect": {"y": False}, "row": "few"}]
    loaded = layered(ROWS, profile=[edit], repository=[made.text])
    assert loaded.digest("t.table") == policies.digest("t.table")


def test_what_a_later_overlay_brings_is_not_copied() -> None:
    later = overlay(
        "remove: [many]\ninsert: [{at: start, row: {id: more, when: {n: {gt: 5}}, then: {y: true}}}]\n",
        "repo.z",
        base="t.table",
    )
    policies = layered(ROWS, repository=[later])

    (before,) = scaffold("overlay", "repo.a", policies, "t.table")
    (after,) = scaffold("overlay", "repo.zz", policies, "t.table")

    assert list(tree(before.text)["replace"]) == ["few"]
    assert list(tree(after.text)["replace"]) == ["more"]
    for one in (before, after):
        assert layered(ROWS, repository=[later, one.text]).digest("t.table") == policies.digest("t.table")


def test_where_every_part_is_of_a_later_overlay_there_is_nothing_to_begin_with() -> None:
    later = overlay("replace: {a: {what: uno}, b: {what: due}}\n", "repo.z", base="t.words")
    fault = refused("overlay", "repo.a", layered(WORDS, repository=[later]), "t.words")

    assert fault.code == "nothing_to_edit"
    assert "repo.z" in fault.message


def test_a_case_that_can_not_be_asked_is_no_example() -> None:
    odd = ROWS.replace("  - {id: six", "  - {id: odd, given: [], expect: {}}\n  - 7\n  - {id: six")
    odd = odd.replace("- {id: odd", "- {id: none, given: {n: none}, expect: {y: true}}\n  - {id: odd")
    policies = layered(odd)

    (made,) = scaffold("overlay", "repo.a", policies, "t.table")

    assert [case["id"] for case in tree(made.text)["cases"]] == ["six-here"]


@pytest.mark.parametrize(
    ("value", "pointer", "copied"),
    [
        ("{a: {b: 1}}", "/a/b", 1),
        ("[[1, 2], {c: 3}]", "/0", [1, 2]),
        ("{list: [{id: x, n: 1}]}", "/list/x/id", "x"),
        ('{"a/b~c": true}', "/a~1b~0c", True),
        ('{empty: {}, more: "2"}', "/empty", {}),
        ('{odd: "\\u2028\\x7f\\uFEFF", x: "\\n"}', "/odd", "\u2028\x7f\ufeff"),
        (f'{{long: "{"x" * 300}", short: "y"}}', "/short", "y"),
    ],
)
def test_an_overlay_of_data_sets_a_value_to_what_it_is(value: str, pointer: str, copied: object) -> None:
    policies = layered(data(value))

    (made,) = scaffold("overlay", "repo.edit", policies, "t.data")

    assert tree(made.text)["set"] == {pointer: copied}
    assert layered(data(value), repository=[made.text]).digest("t.data") == policies.digest("t.data")


def test_what_a_document_says_can_not_leave_its_comment() -> None:
    hostile = 'title: "A\\nkind: table\\u2028# \\x85 \\uFEFF"'
    text = WORDS.replace("title: A document", hostile).replace("term: a,", 'term: "a\\nb: {\\u2029",')

    (made,) = scaffold("overlay", "repo.edit", layered(text), "t.words")

    assert tree(made.text)["kind"] == "overlay"
    assert layered(text, repository=[made.text])


def test_a_table_of_many_rows_names_the_first_ones() -> None:
    rows = "\n".join(f"  - {{id: r{n}, when: {{n: {n}}}, then: {{y: true}}}}" for n in range(5000))
    text = head("table", "t.table") + (
        "hit: first\ninputs: {n: {type: integer}}\noutputs: {y: {type: boolean}}\nrows:\n"
        f"{rows}\n  - {{id: rest, then: {{y: false}}}}\n"
    )

    (made,) = scaffold("overlay", "repo.edit", layered(text), "t.table")

    assert len(made.text) < 3000
    assert "and 4941 more" in made.text


# What is refused.


@pytest.mark.parametrize(
    "identity",
    [
        "", ".", "..", "repo", "repo.", "repo..x", ".repo.x", "repo.x/y", "repo/../x", "../repo.x", "repo.../x",
        "Repo.X", "repo.x y", "repo.x\n", "repo.x\x1b[31m", "repo.x\x00", "repo.ä", "repo.-x", "repo." + "x" * 300,
        ".".join(["repo", *"abcdefg"]), "repo.x\u202e", "\ud800.x", "repo.c:", "repo.x.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["vocabulary", "table", "machine", "data", "overlay"])
def test_an_id_that_is_none_is_refused(kind: str, identity: str, policies: PolicySet) -> None:
    fault = refused(kind, identity, policies)

    assert fault.code == "bad_id"
    assert fault.message.isprintable()


@pytest.mark.parametrize("identity", ["repo.con", "repo.a.nul", "repo.aux.x", "repo.com1", "repo.lpt9"])
def test_a_name_that_no_file_can_have_everywhere_is_refused(identity: str, policies: PolicySet) -> None:
    assert refused("table", identity, policies).code == "reserved_name"
    assert scaffold("table", "repo.console.nil", policies)


def test_an_id_of_another_pack_is_refused_with_the_one_that_would_do(policies: PolicySet) -> None:
    fault = refused("table", "billing.rows", policies)

    assert (fault.code, fault.next_step) == ("foreign_pack", "call it repo.rows")


def test_a_shipped_id_is_refused_with_the_overlay_that_would_do(policies: PolicySet) -> None:
    fault = refused("table", "review.risk", policies)

    assert fault.code == "duplicate_id"
    assert fault.next_step == "edit it by an overlay: dr-policy new overlay repo.risk --base review.risk"


def test_an_id_that_stands_already_is_refused_with_its_file() -> None:
    edit = overlay("replace: {a: {what: uno}}\n", "repo.edit", base="t.words")
    policies = layered(WORDS, repository=[edit, head("vocabulary", "repo.own") + "terms: [{term: a}]\n"])

    for identity in ("repo.own", "repo.edit"):
        fault = refused("overlay", identity, policies, "t.words")
        assert fault.code == "duplicate_id"
        assert fault.next_step.startswith("edit repository-")


def test_a_base_is_named_for_an_overlay_and_for_nothing_else(policies: PolicySet) -> None:
    assert refused("overlay", "repo.x", policies).code == "no_base"
    assert refused("table", "repo.x", policies, "review.risk").code == "base_misplaced"
    unknown = refused("overlay", "repo.x", policies, "review.riks")
    assert (unknown.code, unknown.next_step) == ("unknown_document", "did you mean 'review.risk'?")


def test_a_repositorys_own_document_is_edited_where_it_stands() -> None:
    policies = layered(WORDS, repository=[head("vocabulary", "repo.own") + "terms: [{term: a}]\n"])

    assert refused("overlay", "repo.edit", policies, "repo.own").code == "own_document"


def test_a_repository_has_no_data_of_its_own(policies: PolicySet) -> None:
    fault = refused("data", "repo.limits", policies)

    assert fault.code == "data_without_reader"
    assert fault.next_step.endswith("dr-policy new overlay repo.limits --base verify.limits")


def test_the_states_of_a_machine_are_not_written_twice_nor_over_others(policies: PolicySet) -> None:
    states, machine = scaffold("machine", "repo.lamp", policies)
    written = in_force(policies, states)
    other = head("vocabulary", "repo.lamp-state") + "terms: [{term: lit}, {term: unlit}]\n"

    assert scaffold("machine", "repo.lamp", written) == (machine,)
    assert refused("machine", "repo.lamp", layered(repository=[other])).code == "duplicate_id"
    assert refused("machine", f"repo.{'x' * 60}", policies).code == "bad_id"
    assert scaffold("table", f"repo.{'x' * 60}", policies)


def test_an_empty_set_has_first_files_too() -> None:
    empty = PolicySet.load([], ANY_SHAPE)
    for kind in ("vocabulary", "table", "machine"):
        made = scaffold(kind, "repo.first", empty)
        assert layered(repository=[one.text for one in made]).ids
    assert refused("overlay", "repo.first", empty, "review.risk").code == "unknown_document"

"""From one set to another: which tables are asked whether they became weaker, and what is said of each."""

from __future__ import annotations

from policy_support import SEVERITY, head, layered, overlay, table

from toolkit.authoring.comparison.weakening import Weakened, weaker_decisions
from toolkit.policy.sets import PolicySet

RISK = table("""\
    hit: first
    inputs:
      lines: {type: integer, minimum: 0}
      passive: {type: boolean}
      who: {type: string}
    let: {twice: "2 * lines"}
    outputs:
      severity: {type: term, of: t.severity}
      why: {type: string}
    rows:
      - {id: large, when: {twice: {gt: 800}}, then: {severity: high, why: large}}
      - {id: rest, then: {severity: medium, why: ordinary}}
    """)
OTHER = table(
    """\
    inputs: {x: {type: boolean}}
    outputs: {y: {type: boolean}}
    rows:
      - {id: all, then: {y: true}}
    """,
    "t.other",
)
MACHINE = head("machine", "t.machine") + (
    "states: {of: t.severity, initial: high, terminal: [low]}\n"
    "events: {go: {}}\n"
    "transitions:\n"
    "  - {id: down, from: high, event: go, to: medium}\n"
    "  - {id: out, from: medium, event: go, to: low}\n"
)


def of(*overlays: str, user: str = "") -> PolicySet:
    return layered(SEVERITY, RISK, OTHER, MACHINE, repository=[*overlays], user=[user] if user else [])


def found(before: PolicySet, after: PolicySet) -> list[tuple[str, str, bool]]:
    return [(one.document, one.row, one.sure) for one in weaker_decisions(before, after)]


def only(before: PolicySet, after: PolicySet) -> Weakened:
    (one,) = weaker_decisions(before, after)
    return one


def edit(body: str, base: str = "t.table", identity: str = "repo.edit") -> str:
    return overlay(body, identity, base)


LOWER = edit("replace: {large: {when: {twice: {gt: 800}}, then: {severity: low, why: tired}}}\n")


def test_equal_sets_have_nothing_to_tell() -> None:
    assert found(of(), of()) == []
    assert found(of(LOWER), of(LOWER)) == []


def test_an_edit_that_weakens_is_told_with_the_row_and_facts_the_tested_ones_first() -> None:
    one = only(of(), of(LOWER))
    assert (one.document, one.row, one.sure, one.documents) == ("t.table", "large", True, {"t.table"})
    assert one.message == "severity 'high' -> 'low'"
    assert next(iter(one.facts)) == "lines"
    assert int(str(one.facts["lines"])) > 400
    assert found(of(LOWER), of()) == []


def test_what_was_weakened_for_good_counts_from_an_edited_beginning_too() -> None:
    raised = edit("replace: {rest: {then: {severity: high, why: careful}}}\n")
    assert found(of(raised), of()) == [("t.table", "rest", True)]


def test_other_words_are_no_weaker_answer() -> None:
    assert found(of(), of(edit("replace: {rest: {then: {severity: medium, why: calm}}}\n"))) == []
    assert found(of(), of(edit("replace: {all: {then: {y: false}}}\n", "t.other"))) == []


def test_a_vocabulary_that_is_edited_is_a_reason_to_ask_every_table_that_names_it() -> None:
    added = edit("insert: [{after: low, term: {term: nothing, definition: none}}]\n", "t.severity", "repo.words")
    lowered = edit("replace: {rest: {then: {severity: nothing, why: ordinary}}}\n")
    assert found(of(), of(added)) == []
    one = only(of(), of(added, lowered))
    assert (one.row, one.documents) == ("rest", {"t.table", "t.severity"})
    assert one.message == "severity 'medium' -> 'nothing'"


def test_a_machine_that_goes_another_way_is_not_weaker() -> None:
    shortcut = "replace: {down: {from: high, event: go, to: low}}\n"
    assert found(of(), of(edit(shortcut, "t.machine"))) == []


def test_a_table_that_is_gone_or_new_decides_nothing_weaker() -> None:
    own = OTHER.replace("t.other", "repo.other")
    assert found(of(own), of()) == []
    assert found(of(), of(own)) == []


def test_a_table_of_a_repository_that_is_asked_otherwise_now_can_t_be_compared() -> None:
    own = OTHER.replace("t.other", "repo.other")
    asked = own.replace("x: {type: boolean}", "z: {type: boolean}")
    one = only(of(own), of(asked))
    assert (one.document, one.row, one.sure, dict(one.facts)) == ("repo.other", "", False, {})


def test_where_the_budget_ends_it_is_said_that_nothing_could_be_shown() -> None:
    rows = [
        f"{{at: start, row: {{id: {name}, when: {{twice: {{gt: 800}}, {cell}}}, then: {{severity: high, why: x}}}}}}"
        for name, cell in (("one", "passive: true"), ("two", "who: ada"))
    ]
    parted = edit(f"remove: [large]\ninsert: [{', '.join(rows)}]\n")
    assert found(of(), of(parted)) == [("t.table", "large", True)]
    assert [one.sure for one in weaker_decisions(of(), of(parted), budget=0)] == [False]

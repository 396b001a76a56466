"""A set: what is asked of it by id, and that one loaded from its own bundle is the same in every answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import ANY_SHAPE, SEVERITY, data, load, one_input, overlay, table

from toolkit.policy.explaining import explain
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain

TABLE = one_input("{type: term, of: t.severity}", "{gte: medium}", hit="first")
TOTAL = TABLE + "  - {id: rest, then: {y: false}}\n"


def warm(policies: PolicySet, *packs: str) -> PolicySet:
    """The same set by way of its bundle, as a cache keeps it."""
    return PolicySet.from_bundle(json.loads(json.dumps(policies.to_bundle(packs))))


def test_a_set_is_used_in_five_lines() -> None:
    policies = PolicySet.load(
        [Source("risk.yaml", (SEVERITY.encode()), SHIPPED), Source("t.yaml", TOTAL.encode(), SHIPPED)], {}
    )
    risk = policies.table("t.table")
    assert risk.decide(x="high").outputs["y"] is True
    assert explain(risk, {"x": "low"})[0].near_misses == ("hit",)
    assert policies.digest("t.table").startswith("sha256:")


@pytest.mark.parametrize("of_bundle", [False, True])
def test_what_is_not_there_is_refused_with_the_nearest_id(of_bundle: bool) -> None:
    policies = load(SEVERITY, TABLE, data("{}"))
    policies = warm(policies) if of_bundle else policies
    for ask in (policies.table, policies.vocabulary, policies.data, policies.digest, policies.entry):
        with pytest.raises(PolicyError) as caught:
            ask("t.tabel")
        assert (caught.value.code, caught.value.next_step) == ("unknown_document", "did you mean 't.table'?")
    with pytest.raises(PolicyError) as caught:
        policies.pack_digest("tt")
    assert caught.value.code == "unknown_pack"


def test_a_document_of_another_kind_is_refused() -> None:
    policies = load(SEVERITY, TABLE, data("{}"))
    for ask, document in ((policies.table, "t.data"), (policies.vocabulary, "t.table"), (policies.data, "t.severity")):
        with pytest.raises(PolicyError) as caught:
            ask(document)
        assert caught.value.code == "wrong_kind"
        assert document in (caught.value.next_step or "")


def test_the_ids_of_a_set_are_sorted() -> None:
    assert load(TABLE, SEVERITY, data("{}")).ids == ("t.data", "t.severity", "t.table")


def test_one_table_serves_every_caller() -> None:
    policies = load(SEVERITY, TABLE)
    assert policies.table("t.table") is policies.table("t.table")
    assert policies.data is not None


def test_an_order_of_files_changes_nothing() -> None:
    one, other = load(SEVERITY, TABLE, data("{}")), load(data("{}"), TABLE, SEVERITY)
    assert one.ids == other.ids
    assert one.pack_digest("t") == other.pack_digest("t")


def test_a_set_from_its_bundle_gives_the_same_documents_and_digests() -> None:
    cold = load(
        SEVERITY, TABLE, data("{a: [1, {b: null}]}"), own=[overlay("set: {/a/-: 2}\n"), data("x", "repo.words")]
    )
    again = warm(cold, "t")
    assert again.ids == cold.ids
    for document in cold.ids:
        assert again.digest(document) == cold.digest(document)
        one, other = again.entry(document), cold.entry(document)
        assert (one.head, one.overlays, plain(one.node)) == (other.head, other.overlays, plain(other.node))
        assert list(plain(one.node)) == list(plain(other.node))
    assert again.pack_digest("t") == cold.pack_digest("t")
    assert again.pack_digest("repo") == cold.pack_digest("repo")
    assert again.data("t.data") == cold.data("t.data")
    assert again.vocabulary("t.severity") == cold.vocabulary("t.severity")


@given(st.integers(0, 2**64))
@settings(max_examples=100)
def test_a_set_from_its_bundle_decides_and_explains_the_same(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    cold = load(*map(vocabulary_text, VOCABULARIES), "\n\n" + json.dumps(made.document, indent=1))
    tables = cold.table("t.table"), warm(cold).table("t.table")
    for _ in range(5):
        facts = maker.facts(made)
        told = []
        for one in tables:
            try:
                told.append(json.dumps([one.to_json() for one in explain(one, facts)]))
                told.append(repr(one.decide_all(**facts)))
            except PolicyError as fault:
                told.append(json.dumps(fault.to_json()))
        assert told[: len(told) // 2] == told[len(told) // 2 :]


def test_a_refusal_of_a_warm_set_names_the_row_s_own_line() -> None:
    text = table(
        "hit: first\ninputs: {x: {type: integer}}\noutputs: {y: {type: boolean}}\n"
        "rows:\n  - {id: a, when: {x: 1}, then: {y: true}}\n\n  - {id: b, then: {error: none}}\n"
    )
    cold = load(text)
    places = []
    for policies in (cold, warm(cold)):
        with pytest.raises(PolicyError) as caught:
            policies.table("t.table").decide(x=2)
        places.append(caught.value.place)
    assert places == ["shipped-1.yaml:13:5"] * 2


def test_a_warm_set_reads_a_document_when_it_is_first_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    again = warm(load(SEVERITY, TABLE, data("{}")), "t")
    built: list[str] = []
    from toolkit.policy.documents import stored

    original = stored.node_of
    monkeypatch.setattr(stored, "node_of", lambda content, mark: built.append(content["id"]) or original(content, mark))
    assert again.pack_digest("t")
    assert built == []
    again.table("t.table")
    again.table("t.table")
    assert sorted(built) == ["t.severity", "t.table"]


def test_problems_of_one_set_do_not_touch_another() -> None:
    with pytest.raises(PolicyError):
        load(SEVERITY.replace("order: descending", "order: up"))
    assert load(SEVERITY).vocabulary("t.severity").terms == ("high", "medium", "low")
    assert set(ANY_SHAPE) == {"any"}

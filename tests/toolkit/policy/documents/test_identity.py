"""Identity: what decides is in the digest, what is only worded or spelt is not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import ANY_SHAPE, SEVERITY, data, head, layered, load, overlay, table

from toolkit.policy.documents.identity import document_digest
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import Mark, PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import node_of
from toolkit.policy.types import thaw

TABLE = table(
    "hit: first\n"
    "order_note: because\n"
    "inputs: {severity: {type: term, of: t.severity}, n: {type: integer}}\n"
    'let: {m: "n + 1"}\n'
    "outputs: {y: {type: boolean}}\n"
    "require: [{when_output: {y: true}, inputs: {n: {gte: 1}}}]\n"
    "rows:\n"
    "  - {id: a, when: {severity: {gte: medium}, n: {gte: 1}}, then: {y: true}}\n"
    "  - {id: b, when: {m: 1}, then: {error: cannot-tell}}\n"
    "  - {id: c, then: {y: false}}\n"
    "cases: [{id: one}]\n"
)


def digest(*documents: str | bytes, own: tuple[str, ...] = (), document: str = "t.table") -> str:
    return load(SEVERITY, *documents, own=own).digest(document)


@pytest.mark.parametrize(
    "reworded",
    [
        lambda text: "# a comment\n" + text,
        lambda text: text.replace("version: 1.0.0", "version: 1.0.1"),
        lambda text: text.replace("title: A document", "title: Another title"),
        lambda text: text.replace("source: ours", "source: theirs"),
        lambda text: text.replace("{id: a, when", "{id: a, source: another reference, when"),
        lambda text: text.replace("order_note: because", "order_note: for another reason"),
        lambda text: text.replace("order_note: because\n", ""),
        lambda text: text.replace("cases: [{id: one}]\n", ""),
        lambda text: text.replace("{id: a, when", "{when").replace("then: {y: true}}", "then: {y: true}, id: a}"),
        lambda text: text.replace("inputs: {severity: {type: term, of: t.severity}, n: {type: integer}}",
                                  "inputs: {n: {type: integer}, severity: {of: t.severity, type: term}}"),
        lambda text: text.replace("cannot-tell", '"cannot-tell"').replace("medium", "'medium'"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "---\n" + text + "...\n",
        lambda text: json.dumps(yaml.safe_load(text)),
        lambda text: json.dumps(yaml.safe_load(text), indent=2, sort_keys=True),
        lambda text: yaml.safe_dump(yaml.safe_load(text)),
    ],
)  # fmt: skip
def test_wording_and_spelling_change_no_digest(reworded: Callable[[str], str]) -> None:
    assert reworded(TABLE) != TABLE
    assert digest(reworded(TABLE)) == digest(TABLE)


def test_where_a_transition_comes_from_changes_no_digest() -> None:
    machine = head("machine", "t.machine") + (
        "states: {of: t.severity, initial: low, terminal: [high]}\nevents: {rise: {}}\n"
        "transitions: [{id: up, from: [low, medium], event: rise, to: high}]\n"
    )
    sourced = machine.replace("{id: up,", "{id: up, source: another reference,")
    assert digest(sourced, document="t.machine") == digest(machine, document="t.machine")
    moved = machine.replace("to: high", "to: medium")
    assert digest(moved, document="t.machine") != digest(machine, document="t.machine")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hit: first", "hit: collect"),
        ("gte: medium", "gte: high"),
        ("{y: true}}", "{y: false}}"),
        ('"n + 1"', '"n + 2"'),
        ('"n + 1"', '"n  + 1"'),
        ("cannot-tell", "no-answer"),
        ("id: a,", "id: d,"),
        ("require: [{when_output: {y: true}, inputs: {n: {gte: 1}}}]\n", ""),
        ("  - {id: b, when: {m: 1}, then: {error: cannot-tell}}\n", ""),
        ("n: {type: integer}}", "n: {type: integer, minimum: -9}}"),
        ("n: {type: integer}}", "n: {type: integer}, o: {type: boolean, informs: true}}"),
        ("{y: {type: boolean}}", "{y: {type: boolean, stronger: [true, false]}}"),
    ],
)
def test_what_decides_changes_the_digest(old: str, new: str) -> None:
    assert old in TABLE
    assert digest(TABLE.replace(old, new)) != digest(TABLE)


def test_the_order_of_rows_and_terms_is_part_of_the_digest() -> None:
    lines = TABLE.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if "id: a," in line)
    lines[first], lines[first + 1] = lines[first + 1], lines[first]
    assert digest("".join(lines)) != digest(TABLE)
    turned = SEVERITY.replace("high", "?").replace("medium", "high").replace("?", "medium")
    assert load(turned).digest("t.severity") != load(SEVERITY).digest("t.severity")


def test_an_anchor_is_part_of_what_a_vocabulary_decides() -> None:
    assert load(SEVERITY.replace("in doubt", "uncertain")).digest("t.severity") != load(SEVERITY).digest("t.severity")


def test_the_bytes_under_a_digest_are_the_domain_and_the_canonical_json() -> None:
    content = {"policy": "v1", "kind": "data", "id": "t.data", "shape": "any", "value": {"b": [1, None], "a": "é"}}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    expected = hashlib.sha256(b"dr-policy/document/v1\n" + canonical).hexdigest()
    assert digest(data("{b: [1, null], a: é}"), document="t.data") == f"sha256:{expected}"


def test_values_that_join_to_the_same_text_have_digests_of_their_own() -> None:
    digests = {
        digest(data(value), document="t.data")
        for value in (
            "{a: 'x y', b: z}",
            "{a: x, b: 'y z'}",
            "['x y', z]",
            "[x, 'y z']",
            "[1]",
            "['1']",
            "[true]",
            "{}",
            "[]",
        )
    }
    assert len(digests) == 9


@given(st.integers(0, 2**64))
@settings(max_examples=50)
def test_a_table_in_another_style_and_key_order_has_the_same_digest(seed: int) -> None:
    made = Maker(seed).table()
    vocabularies = [vocabulary_text(name) for name in VOCABULARIES]
    plain = load(*vocabularies, made.text).digest("t.table")
    assert load(*vocabularies, yaml.safe_dump(made.document, allow_unicode=True)).digest("t.table") == plain
    shuffled = dict(reversed(made.document.items()))
    assert load(*vocabularies, json.dumps(shuffled, indent=1)).digest("t.table") == plain


def test_an_overlaid_document_has_the_digest_of_what_it_became() -> None:
    became = digest(data("{a: 2}"), document="t.data")
    assert digest(data("{a: 1}"), own=(overlay("set: {/a: 2}\n"),), document="t.data") == became
    assert digest(data("{a: 1}"), document="t.data") != became


# Closures.

OTHER = SEVERITY.replace("t.severity", "u.severity")


def test_the_closure_of_a_pack_is_its_documents_and_what_these_reference() -> None:
    policies = load(OTHER, TABLE.replace("t.severity", "u.severity"), data("{}", "v.data"))
    assert policies.closure("t") == ("t.table", "u.severity")
    assert policies.closure("v") == ("v.data",)


def test_the_digest_of_a_pack_changes_with_every_document_of_its_closure_and_no_other() -> None:
    def pack(vocabulary: str = OTHER, value: str = "{}", own: tuple[str, ...] = ()) -> str:
        documents = (vocabulary, TABLE.replace("t.severity", "u.severity"), data(value, "v.data"))
        return load(*documents, own=own).pack_digest("t")

    assert pack(OTHER.replace("noticed", "seen")) != pack()
    assert pack(OTHER.replace("title: How grave", "title: Gravity")) == pack()
    assert pack(value="{a: 1}") == pack()
    assert pack(own=(data("{}", "repo.data"),)) == pack()


def test_a_pack_digest_binds_ids_as_well_as_contents() -> None:
    one = load(data("{}", "t.a"), data("{a: 1}", "t.b"))
    assert one.pack_digest("t") != load(data("{}", "t.a")).pack_digest("t")
    assert one.pack_digest("t") != one.digest("t.a")
    expected = {"documents": {"t.a": one.digest("t.a"), "t.b": one.digest("t.b")}, "profile": "compact"}
    canonical = json.dumps(expected, sort_keys=True, separators=(",", ":")).encode()
    assert one.pack_digest("t") == "sha256:" + hashlib.sha256(b"dr-policy/closure/v1\n" + canonical).hexdigest()


def test_a_digest_needs_no_place() -> None:
    content = {"policy": "v1", "kind": "data", "id": "t.data", "value": [1]}
    first, second = (node_of(content, mark) for mark in (Mark("a", 1, 1), Mark("b", 9, 9)))
    assert document_digest(first, {}) == document_digest(second, {})


# Templates and the layers that are bound.

PROMPT = data("{ask: once}", "t.prompt") + "templates: [t/ask.md.j2, t/end.md.j2]\n"
TEXTS = {"t/ask.md.j2": b"Ask {{ it }}.", "t/end.md.j2": b"End.", "t/other.md.j2": b"Nobody names me."}


def test_the_bytes_of_a_template_are_part_of_the_document_that_names_it() -> None:
    before = layered(PROMPT, templates=TEXTS)
    assert layered(PROMPT, templates={**TEXTS, "t/end.md.j2": b"End!"}).digest("t.prompt") != before.digest("t.prompt")
    assert layered(PROMPT, templates={**TEXTS, "t/end.md.j2": b"End!"}).pack_digest("t") != before.pack_digest("t")
    assert layered(PROMPT, templates={**TEXTS, "t/other.md.j2": b""}).digest("t.prompt") == before.digest("t.prompt")
    assert list(before.templates("t.prompt").items()) == list(TEXTS.items())[:2]


def test_a_template_that_is_not_there_is_named_where_it_is_asked_for() -> None:
    with pytest.raises(PolicyError) as caught:
        layered(PROMPT, templates={"t/ask.md.j2": b""})
    (problem,) = caught.value.problems
    assert (problem.code, problem.mark.line, problem.hint) == ("unknown_template", 9, "did you mean 't/ask.md.j2'?")


def test_the_digest_of_a_closure_names_the_profile() -> None:
    sources = [Source("d.yaml", data("{}").encode(), SHIPPED)]
    compact, atomic = (PolicySet.load(sources, ANY_SHAPE, profile=name) for name in ("compact", "atomic"))
    assert compact.digest("t.data") == atomic.digest("t.data")
    assert compact.pack_digest("t") != atomic.pack_digest("t")


def test_what_receipts_bind_leaves_the_user_layer_out() -> None:
    mine = overlay("set: {/a: 3}\n", "user.mine")
    theirs = overlay("set: {/b: 2}\n", "repo.ours")
    base = data("{a: 1, b: 1}")
    full = layered(base, user=[mine], repository=[theirs])
    without = layered(base, repository=[theirs])
    assert thaw(full.data("t.data")) == {"a": 3, "b": 2}
    assert full.pack_digest("t") != without.pack_digest("t")
    assert full.bound.pack_digest("t") == without.pack_digest("t") == without.bound.pack_digest("t")
    for_pins = layered(base, user=[mine], repository=[theirs], user_edits=False)
    assert thaw(for_pins.data("t.data")) == {"a": 1, "b": 2}
    assert for_pins.pack_digest("t") == without.pack_digest("t")

"""What the reader accepts, an editor's schema accepts: what is shipped, what is scaffolded, and what chance makes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from anything_support import EFFECTS, SHAPES, TEMPLATES, SetMaker
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st
from schemas_support import known_here, tree, validator

from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.published import NAMES, POLICY, schema_of
from toolkit.policy.documents.heads import KINDS
from toolkit.policy.layers import Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.shipped import read_shipped


def shipped_files() -> Mapping[str, bytes]:
    """Every shipped document, and the overlays of every profile."""
    shipped = read_shipped()
    return {**shipped.documents, **{name: data for files in shipped.profiles.values() for name, data in files.items()}}


FILES = shipped_files()


def test_every_kind_is_among_what_is_shipped() -> None:
    assert {tree(data)["kind"] for data in FILES.values()} == set(KINDS)
    assert len(FILES) > len(read_shipped().documents)


@pytest.mark.parametrize("knows", [False, True], ids=["alone", "in-a-set"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_accept_everything_that_is_shipped(kind: str, knows: bool, policies: PolicySet) -> None:
    known = known_here(policies) if knows else Known()
    of_kind, of_any = validator(kind, known), validator(POLICY, known)
    for name, data in FILES.items():
        document = tree(data)
        if document["kind"] == kind:
            for one in (of_kind, of_any):
                assert not [f"{name}: {fault.json_path}: {fault.message}" for fault in one.iter_errors(document)]


def test_a_schema_accepts_no_other_kind() -> None:
    validators = {kind: validator(kind) for kind in KINDS}
    for data in FILES.values():
        document = tree(data)
        assert [kind for kind in KINDS if validators[kind].is_valid(document)] == [document["kind"]]


def read_by(policies: PolicySet, sources: Sequence[Source]) -> Iterator[Any]:
    """What the reader accepted: every document in force, and every overlay that is the only one of its base.

    A part that an overlay takes away is never read, so what stands in a file may be worse than what is in force.
    """
    yield from (plain(policies.entry(one).node) for one in policies.ids)
    for source in sources:
        document = tree(source.data)
        if document["kind"] == "overlay" and len(policies.entry(document["base"]["id"]).edits) <= 1:
            yield document


@pytest.mark.parametrize("part", range(2))
def test_the_schemas_accept_every_document_of_a_set_that_loads(part: int) -> None:
    validators = {name: validator(name) for name in NAMES}
    accepted = 0

    @settings(max_examples=150, database=None, phases=[Phase.generate])
    @given(st.binary(min_size=8, max_size=8))
    def check(seed: bytes) -> None:
        nonlocal accepted
        sources = SetMaker(int.from_bytes((*seed, part))).sources()
        try:
            policies = PolicySet.load(sources, SHAPES, templates=TEMPLATES, effects=EFFECTS, prove=False)
        except PolicyError:
            return
        for document in read_by(policies, sources):
            note(json.dumps(document))
            for name in (document["kind"], POLICY):
                assert not [f"{fault.json_path}: {fault.message}" for fault in validators[name].iter_errors(document)]
            accepted += 1

    check()
    assert accepted > 100


def test_the_configuration_names_a_profile_that_there_is(policies: PolicySet) -> None:
    known = validator("config", known_here(policies))

    assert known.is_valid({"profile": "atomic"})
    assert known.is_valid({"profile": "compact"})
    assert known.is_valid({})
    assert not known.is_valid({"profile": "atomik"})
    assert not known.is_valid({"profile": None})
    assert not known.is_valid({"profiles": "atomic"})
    assert not known.is_valid([])
    assert schema_of("config")["properties"].keys() == {"profile"}

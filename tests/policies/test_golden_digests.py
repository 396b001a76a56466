"""The digests of the shipped set, pinned: a receipt or a lock of an earlier release holds until a rule really changes.

Where a change of rules is meant, raise the document's version, then write the pinned files again:

    .venv/bin/python tests/policies/pin_digests.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from toolkit.effects import EFFECTS
from toolkit.policy.layers import PROFILE, SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import Shipped, read_shipped
from toolkit.sources.lock import differences, read_lock

PINNED = Path(__file__).parent / "pinned"
PROFILES = ("compact", "atomic")


def shipped_set(shipped: Shipped, profile: str) -> PolicySet:
    sources = [
        *(Source(name, data, SHIPPED) for name, data in shipped.documents.items()),
        *(Source(name, data, PROFILE) for name, data in shipped.profiles.get(profile, {}).items()),
    ]
    return PolicySet.load(
        sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS, profile=profile, prove=False
    )


def closures(policies: PolicySet) -> dict[str, str]:
    return {pack: policies.pack_digest(pack) for pack in policies.packs}


@pytest.mark.parametrize("profile", PROFILES)
def test_no_shipped_document_changed_unless_its_pinned_digest_did(profile: str) -> None:
    policies = shipped_set(read_shipped(), profile)
    source = Source(f"{profile}.lock", (PINNED / f"{profile}.lock").read_bytes(), SHIPPED)
    assert [str(problem) for problem in differences(read_lock(source), policies)] == []
    assert closures(policies) == json.loads((PINNED / f"{profile}.closures.json").read_text("utf-8"))


def test_a_profile_gives_every_pack_another_digest() -> None:
    compact, atomic = (closures(shipped_set(read_shipped(), profile)) for profile in PROFILES)
    assert all(compact[pack] != atomic[pack] for pack in compact)


def rewritten(shipped: Shipped) -> Iterator[tuple[str, bytes]]:
    """Every document with its comments gone, its keys in another order, other quotes and other line endings."""
    for name, data in shipped.documents.items():
        document = json_of(data)
        text = json.dumps(dict(reversed(document.items())), indent=3, ensure_ascii=True)
        yield name.replace(".yaml", "-moved.yaml"), text.replace("\n", "\r\n").encode()


def json_of(data: bytes) -> dict[str, object]:
    """A shipped document as another YAML reader sees it: it is written so that all readers see the same."""
    document: dict[str, object] = yaml.safe_load(data)
    return document


def test_spelling_order_of_keys_and_file_names_change_no_digest_of_the_shipped_set() -> None:
    shipped = read_shipped()
    other = PolicySet.load(
        [Source(name, data, SHIPPED) for name, data in rewritten(shipped)],
        shipped.shapes, templates=shipped.templates, effects=EFFECTS, prove=False,
    )  # fmt: skip
    assert closures(other) == closures(shipped_set(shipped, "compact"))


@pytest.mark.parametrize("key", ["title", "source", "version", "order_note", "cases"])
def test_wording_changes_no_digest_of_the_shipped_set(key: str) -> None:
    shipped = read_shipped()
    changed = []
    for name, data in shipped.documents.items():
        document = json_of(data)
        if key in document:
            document[key] = {"version": "9.9.9", "cases": []}.get(key, "reworded")
        changed.append(Source(name, json.dumps(document).encode(), SHIPPED))
    other = PolicySet.load(changed, shipped.shapes, templates=shipped.templates, effects=EFFECTS, prove=False)
    assert closures(other) == closures(shipped_set(shipped, "compact"))


def test_a_changed_anchor_changes_its_own_digest_and_those_of_the_packs_that_rest_on_it_and_no_other() -> None:
    shipped = read_shipped()
    name = "policies/review/severity.yaml"
    document = json_of(shipped.documents[name])
    document["terms"][0]["definition"] = "reworded"  # type: ignore[index]
    documents = {**shipped.documents, name: json.dumps(document).encode()}
    before = shipped_set(shipped, "compact")
    after = shipped_set(shipped._replace(documents=documents), "compact")
    assert [one for one in before.ids if before.digest(one) != after.digest(one)] == ["review.severity"]
    resting = {pack for pack in before.packs if "review.severity" in before.closure(pack)}
    assert {pack for pack in before.packs if closures(before)[pack] != closures(after)[pack]} == resting
    assert "review" in resting
    assert resting != set(before.packs)

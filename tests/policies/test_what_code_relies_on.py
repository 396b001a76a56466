"""What the code of the verifier asks of a data document by name can't be taken out of it by an overlay."""

from __future__ import annotations

import pytest
from policy_support import overlay

from toolkit.effects import EFFECTS
from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes


def _with(base: str, pointer: str) -> PolicySet:
    return _edited(base, f"remove: [{pointer}]")


def _edited(base: str, edit: str) -> PolicySet:
    root = shipped_root()
    shipped = [Source(str(path.relative_to(root)), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
    edited = overlay(edit + "\n", base=base).encode()
    return PolicySet.load([*shipped, Source("edited.yaml", edited, REPOSITORY)], shipped_shapes(), effects=EFFECTS)


@pytest.mark.parametrize("kind", range(9))
def test_a_kind_of_document_stays(kind: int) -> None:
    with pytest.raises(PolicyError) as caught:
        _with("verify.artifacts", f"/documents/{kind}")
    (problem,) = caught.value.problems
    assert problem.code == "wrong_shape"
    assert problem.message.startswith("documents: an item with kind: ")
    assert problem.message.endswith(" must stand here")


@pytest.mark.parametrize(
    ("pointer", "gates"),
    [
        ("/0/gates/0", {"prd-measurable"}),
        ("/0/gates/1", {"prd-risks"}),
        ("/1", {"plan-steps", "plan-stride", "plan-rollback"}),
        ("/2", {"do-evidence"}),
    ],
)
def test_a_gate_stays_where_it_is_asked_for(pointer: str, gates: set[str]) -> None:
    with pytest.raises(PolicyError) as caught:
        _with("verify.stages", pointer)
    told = {
        problem.message.rpartition("gate: ")[2].removesuffix(" must stand here") for problem in caught.value.problems
    }
    assert told == gates


@pytest.mark.parametrize(
    "edit",
    [
        "remove: [/checks/policy_layer]",
        "set: {/checks/policy_layer/enabled: false}",
        "set: {/checks/policy_layer/severity: low}",
        "set: {/checks/policy_layer/stages: [prd]}",
        "set: {/checks/policy_layer/stages: [do]}",
        "set: {/checks/policy_layer/uses: plan_presence}",
        "set: {/checks/policy_layer/with/weaker: medium}",
        "set: {/checks/policy_layer/with/paths: [docs/**]}",
        "remove: [/checks/policy_layer/with/paths/0]",
    ],
)
def test_the_check_that_no_change_judges_itself_is_neither_switched_off_nor_made_milder(edit: str) -> None:
    with pytest.raises(PolicyError) as caught:
        _edited("verify.floor", edit)
    assert {problem.code for problem in caught.value.problems} == {"wrong_shape"}
    assert any("id: policy_layer" in problem.message for problem in caught.value.problems)


def test_the_check_that_no_change_judges_itself_may_be_made_stricter() -> None:
    stricter = 'set: {/checks/policy_layer/severity: high, /checks/policy_layer/with/paths/-: "rules/**"}'
    assert _edited("verify.floor", stricter)

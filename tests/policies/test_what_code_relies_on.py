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
    root = shipped_root()
    shipped = [Source(str(path.relative_to(root)), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
    edited = overlay(f"remove: [{pointer}]\n", base=base).encode()
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

"""The mode that the environment asks for, and what an error is worth."""

from __future__ import annotations

import pytest

from toolkit.policy.sets import PolicySet
from verify.errors import WorkspaceError
from verify.spec_graph.gate import Situation, blocks_on_error, mode_of
from verify.spec_graph.rules import Mode

MODE = Mode("DATARIM_SPEC_GRAPH_MODE", "advisory", ("advisory", "hard"))


@pytest.mark.parametrize(
    ("said", "mode"),
    [
        (None, "advisory"),
        ("", "advisory"),
        (" ", "advisory"),
        ("advisory", "advisory"),
        ("hard", "hard"),
        ("Hard", "hard"),
    ],
)
def test_the_mode_is_advisory_unless_it_is_hard(said: str | None, mode: str) -> None:
    assert mode_of({} if said is None else {MODE.variable: said}, MODE) == mode


@pytest.mark.parametrize("said", ["1", "soft", "hard!", "\x1b[31mhard"])
def test_a_mode_that_is_none_is_refused_and_never_taken_for_another(said: str) -> None:
    with pytest.raises(WorkspaceError) as refused:
        mode_of({MODE.variable: said}, MODE)
    assert refused.value.code == "spec_graph_mode"
    assert "\x1b" not in refused.value.message


def test_an_error_blocks_in_hard_mode_at_l3_and_l4_at_every_stage_but_do(policies: PolicySet) -> None:
    for stage in ("prd", "plan", "do", "qa", "compliance", "verify"):
        for level in ("L1", "L2", "L3", "L4"):
            assert blocks_on_error(Situation(stage, level, "hard"), policies) == (
                level in ("L3", "L4") and stage != "do"
            )
            assert not blocks_on_error(Situation(stage, level, "advisory"), policies)

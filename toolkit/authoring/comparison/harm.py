"""Whether a difference may have made something weaker: where nothing shows that it did not, it may.

An order says it of the outputs that have one. Of the rest nobody can tell, but that wording (text) decides nothing, and
that whoever declines lets nothing pass.
"""

from __future__ import annotations

from typing import Final

from toolkit.authoring.comparison.changes import SEQUENCE, UNKNOWN
from toolkit.authoring.comparison.ground import Ground, Rows
from toolkit.authoring.comparison.observing import Seen, is_answer
from toolkit.authoring.directions import MIXED, OTHER, WEAKER
from toolkit.policy.types import TextType

WEAKENING: Final = frozenset((WEAKER, MIXED, UNKNOWN))


def may_weaken(ground: Ground, rows: Rows | None, seen: Seen, kind: str) -> bool:
    """Whether what two rows answer differently may be weaker; ``rows`` are null where only an order of answers is."""
    if seen.direction in WEAKENING:
        return True
    if rows is None or kind == SEQUENCE:
        return False
    if not is_answer(seen.after):
        return False  # it declines now
    if not is_answer(seen.before):
        return seen.before is not None  # it declined before; a list only gained an answer
    return any(_is_open(ground, rows, seen, output) for output in ground.joint.outputs)


def _is_open(ground: Ground, rows: Rows, seen: Seen, output: str) -> bool:
    """Whether an output may differ between two rows in a way that no order judges."""
    if isinstance(ground.joint.after.document.outputs[output].type, TextType):
        return False
    if output in ground.orders.ordered:
        return ground.orders.compared(output, seen.before[output], seen.after[output]) == OTHER
    answers = [side.answers[row] for side, row in zip(ground.joint.sides, rows, strict=True) if row is not None]
    if len(answers) != len(rows):
        return bool(seen.before[output] != seen.after[output])
    return answers[0].then.get(output) != answers[1].then.get(output)

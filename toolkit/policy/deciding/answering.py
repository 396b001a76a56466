"""What a row answers: the same decision every time, one that takes over values, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from toolkit.policy.deciding.matching import Values
from toolkit.policy.language.rules import Produced, Reference, Row, TableDocument
from toolkit.policy.problems import Mark, Undecided, clipped, shown
from toolkit.policy.types import Value, freeze


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table answered: its outputs (immutable), the row that said so, and the index of an ``each`` item."""

    outputs: Mapping[str, Value]
    row: str
    item: int | None = None


Emit = Callable[[Values, int | None], Decision]


def shared_decision(row: Row) -> Decision | None:
    """The decision of a row that always answers the same; null for the rest."""
    if row.error is not None or any(map(_has_reference, row.then.values())):
        return None
    return Decision(MappingProxyType(dict(row.then)), row.id)  # type: ignore[arg-type]


def emitter(document: TableDocument, row: Row, shared: Decision | None) -> Emit:
    """How a row answers. Raises ``Undecided`` where it declines, or its output would be out of range."""
    if row.error is not None:
        return _refusal(document, row, row.error)
    if shared is not None:
        return lambda _values, item: shared if item is None else Decision(shared.outputs, row.id, item)

    def emit(values: Values, item: int | None) -> Decision:
        built = {name: _produce(produced, values) for name, produced in row.then.items()}
        for name, value in built.items():
            if not document.outputs[name].accepts(value):
                message = f"{name} would be {shown(value)}, not {document.outputs[name].describe()}"
                raise undecided(document, row.mark, "output_out_of_range", message)
        return Decision(MappingProxyType(built), row.id, item)

    return emit


def _refusal(document: TableDocument, row: Row, code: str) -> Emit:
    def refuse(_values: Values, _item: int | None) -> Decision:
        raise undecided(document, row.mark, code, f"row {row.id!r} declines to decide")

    return refuse


def undecided(document: TableDocument, mark: Mark, code: str, message: str) -> Undecided:
    """There is no answer: exit 3, and how to see why."""
    step = f"dr-policy explain {document.head.id} --facts ..."
    return Undecided(code, clipped(f"{document.head.id}: {message}"), place=str(mark), next_step=step)


def _has_reference(produced: Produced) -> bool:
    if isinstance(produced, tuple):
        return any(map(_has_reference, produced))
    return isinstance(produced, Reference)


def _produce(produced: Produced, values: Values) -> Value:
    if isinstance(produced, tuple):
        return tuple(_produce(part, values) for part in produced)
    return freeze(values[produced.name]) if isinstance(produced, Reference) else produced

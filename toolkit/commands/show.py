"""``dr-policy list`` and ``dr-policy show``: which policies are in force, and what one of them says."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.commands.interface import (
    common_options,
    fails_clearly,
    json_text,
    policy_from_option,
    write_json,
    write_text,
)
from toolkit.policy.documents.heads import Vocabulary
from toolkit.policy.documents.origins import Origin
from toolkit.policy.explaining import describe_when
from toolkit.policy.language.rules import Produced, Reference, Row, TableDocument
from toolkit.policy.language.transitions import STATE, MachineDocument, Transition
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.types import Input, thaw
from toolkit.sources import load_policies


@click.command("list")
@policy_from_option
@common_options
@fails_clearly
def list_documents(policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Every policy document in force: its id, kind, version, layer and title."""
    policies = load_policies(cwd.resolve(), policy_from=policy_from).policies
    rows = [_listed(policies, document) for document in policies.ids]
    if as_json:
        write_json("dr-policy.list/v1", {"documents": rows, "profile": policies.profile})
        return
    for row in rows:
        write_text(f"{row['id']:34} {row['kind']:11} {row['version']:8} {row['layer']:11} {row['title']}")


def _listed(policies: PolicySet, document: str) -> dict[str, object]:
    entry = policies.entry(document)
    return {
        "digest": policies.digest(document),
        "id": document,
        "kind": entry.head.kind,
        "layer": entry.head.layer,
        "overlays": list(entry.overlays),
        "title": entry.head.title,
        "version": entry.head.version,
    }


@click.command()
@click.argument("document", metavar="ID")
@click.option("--origin", is_flag=True, help="Say which layer, file and line gave each part.")
@policy_from_option
@common_options
@fails_clearly
def show(document: str, origin: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """What the document ID says, as it is in force here.

    With --origin: where each row, transition and term comes from; of a payload, what overlays put there.
    """
    policies = load_policies(cwd.resolve(), policy_from=policy_from).policies
    listed = _listed(policies, document)
    entry = policies.entry(document)
    origins = policies.origins(document) if origin else ()
    if as_json:
        told = {"origins": [_origin(one) for one in origins]} if origin else {}
        write_json("dr-policy.show/v1", {**listed, **told, "document": plain(entry.node)})
        return
    lines = [f"{document} {entry.head.version} ({entry.head.kind}, {entry.head.layer})", entry.head.title]
    lines += [f"source: {entry.head.source}"] if entry.head.source else []
    lines += [f"overlaid by: {name}" for name in entry.overlays]
    lines += _content(policies, document, entry.head.kind)
    lines += ["origin:", *_origins(origins)] if origin else []
    write_text("\n".join(lines))


def _content(policies: PolicySet, document: str, kind: str) -> list[str]:
    if kind == "table":
        return _table(policies.table(document).document)
    if kind == "machine":
        return _machine(policies.machine(document).document)
    if kind == "vocabulary":
        return _vocabulary(policies.vocabulary(document))
    return [json_text(thaw(policies.data(document)), indent=2)]


def _origin(one: Origin) -> dict[str, object]:
    return {
        "column": one.mark.column,
        "file": one.mark.file,
        "layer": one.layer,
        "line": one.mark.line,
        "overlay": one.overlay,
        "part": one.part,
    }


def _origins(origins: tuple[Origin, ...]) -> list[str]:
    """One line a part: its name, its layer, its place, and the overlay that put it there."""
    names = [one.part or "the document" for one in origins]
    wide, layer = max(map(len, names)), max(len(one.layer) for one in origins)
    return [
        f"  {name:{wide}}  {one.layer:{layer}}  {one.mark.file}:{one.mark.line}"
        + (f" ({one.overlay})" if one.overlay else "")
        for name, one in zip(names, origins, strict=True)
    ]


def _vocabulary(vocabulary: Vocabulary) -> list[str]:
    lines = [f"order: {vocabulary.order}"]
    for term in vocabulary.terms:
        lines.append(f"  {term}")
        lines += [f"    {name}: {text}" for name, text in vocabulary.anchors[term].items()]
    return lines


def _table(table: TableDocument) -> list[str]:
    lines = [f"hit: {table.hit}" + (f", for each of {table.each}" if table.each else "")]
    lines += [f"order: {table.order_note}"] if table.order_note else []
    lines += [f"  in  {_declared(one)}" for one in (*table.inputs.values(), *table.item_fields.values())]
    lines += [f"  let {let.name}" for let in table.lets]
    lines += [f"  out {_declared(one)}" for one in table.outputs.values()]
    cells = [(row.id, describe_when(row.when), _then(row)) for row in table.rows]
    widths = [max(len(row[column]) for row in cells) for column in (0, 1)]
    lines += [f"  {name:{widths[0]}}  {when:{min(widths[1], 70)}}  ->  {then}" for name, when, then in cells]
    return lines


def _machine(machine: MachineDocument) -> list[str]:
    lines = [f"states: {', '.join(machine.states.terms)}", f"  initial: {machine.initial}"]
    lines.append(f"  terminal: {', '.join(machine.terminal)}")
    for event, table in machine.events.items():
        inputs = [_declared(one) for name, one in table.inputs.items() if name != STATE]
        lines += [f"event {event}", *(f"  in  {one}" for one in inputs)]
        lines += [_transition(one) for one in machine.transitions.values() if one.event == event]
    return lines


def _transition(one: Transition) -> str:
    effects = f"  [{', '.join(one.effects)}]" if one.effects else ""
    return f"  {one.id}: {' | '.join(one.from_states)}  {describe_when(one.when)}  ->  {one.to}{effects}"


def _declared(one: Input) -> str:
    return f"{one.name}: {one.describe()}" + (" (informs only)" if one.informs else "")


def _then(row: Row) -> str:
    if row.error is not None:
        return f"declines: {row.error}"
    return ", ".join(f"{name} {_shown(value)}" for name, value in row.then.items())


def _shown(value: Produced) -> str:
    if isinstance(value, Reference):
        return f"= {value.name}"
    if isinstance(value, tuple):
        return "[" + ", ".join(_shown(part) for part in value) + "]"
    return json_text(value)

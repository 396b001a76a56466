"""``dr-policy list`` and ``dr-policy show``: which policies are in force, and what one of them says."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.commands.interface import common_options, fails_clearly, json_text, write_json, write_text
from toolkit.policy.documents import Vocabulary
from toolkit.policy.explaining import describe_when
from toolkit.policy.nodes import plain
from toolkit.policy.rules import Produced, Reference, Row, TableDocument
from toolkit.policy.sets import PolicySet
from toolkit.policy.types import Input, thaw
from toolkit.sources import find_layer, load_policies


@click.command("list")
@common_options
@fails_clearly
def list_documents(cwd: Path, as_json: bool) -> None:
    """Every policy document in force: its id, kind, version, layer and title."""
    policies = load_policies(find_layer(cwd.resolve())).policies
    rows = [_listed(policies, document) for document in policies.ids]
    if as_json:
        write_json("dr-policy.list/v1", {"documents": rows})
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
@common_options
@fails_clearly
def show(document: str, cwd: Path, as_json: bool) -> None:
    """What the document ID says, as it is in force here."""
    policies = load_policies(find_layer(cwd.resolve())).policies
    listed = _listed(policies, document)
    entry = policies.entry(document)
    if as_json:
        write_json("dr-policy.show/v1", {**listed, "document": plain(entry.node)})
        return
    lines = [f"{document} {entry.head.version} ({entry.head.kind}, {entry.head.layer})", entry.head.title]
    lines += [f"source: {entry.head.source}"] if entry.head.source else []
    lines += [f"overlaid by: {name}" for name in entry.overlays]
    if entry.head.kind == "table":
        lines += _table(policies.table(document).document)
    elif entry.head.kind == "vocabulary":
        lines += _vocabulary(policies.vocabulary(document))
    else:
        lines.append(json_text(thaw(policies.data(document)), indent=2))
    write_text("\n".join(lines))


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

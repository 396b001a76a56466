"""``dr-policy list`` and ``dr-policy show``: which policies are in force, and what one of them says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands.interface import (
    common_options,
    fails_clearly,
    policy_from_option,
    write_json,
    write_line,
    write_text,
)
from toolkit.policy.documents.origins import Origin
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.types import thaw
from toolkit.sources import load_policies

if TYPE_CHECKING:
    from toolkit.authoring.drawing.heads import Told
    from toolkit.commands.folding import Screen


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
@click.option("--mermaid", is_flag=True, help="Print a machine as a Mermaid diagram, as GitHub draws it.")
@policy_from_option
@common_options
@fails_clearly
def show(document: str, origin: bool, mermaid: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """What the document ID says, as it is in force here: a table is drawn, as wide as the terminal.

    With --origin: where each row, transition and term comes from; of a payload, what overlays put there.
    """
    policies = load_policies(cwd.resolve(), policy_from=policy_from).policies
    listed = _listed(policies, document)
    diagram = _mermaid(policies, document) if mermaid else None
    origins = policies.origins(document) if origin else ()
    if as_json:
        told: dict[str, object] = {"origins": [_origin(one) for one in origins]} if origin else {}
        told |= {"mermaid": diagram} if diagram is not None else {}
        write_json("dr-policy.show/v1", {**listed, **told, "document": plain(policies.entry(document).node)})
    elif diagram is not None:
        # Origins as comments of Mermaid, so that what is printed can be used as it is.
        write_text("\n".join([diagram.rstrip("\n"), *(f"%% {line}" for line in _origins(origins))]))
    else:
        write_line("\n".join(_told(policies, document, origins)))


def _mermaid(policies: PolicySet, document: str) -> str:
    """A machine as a diagram. Raises ``PolicyError`` for any other kind."""
    from toolkit.authoring.drawing.mermaid import machine_mermaid

    kind = policies.entry(document).head.kind
    if kind != "machine":
        message = f"--mermaid draws machines, and {document} is a {kind}"
        place = str(policies.entry(document).head.mark)
        step = f"see it drawn: dr-policy show {document}"
        raise PolicyError("wrong_kind", message, place=place, next_step=step)
    return machine_mermaid(policies.machine(document).document)


def _told(policies: PolicySet, document: str, origins: tuple[Origin, ...]) -> Iterator[str]:
    """The document in lines that are safe to print."""
    from toolkit.commands.folding import screen
    from toolkit.reporting.visible import visible

    where = screen()
    head = policies.entry(document).head
    yield from where.title(f"{document} {head.version}  {head.title}")
    yield from _content(policies, document, where)
    if origins:
        yield from ("", *where.title("Origin"))
        yield from map(visible, _origins(origins))


def _content(policies: PolicySet, document: str, where: Screen) -> Iterator[str]:
    from toolkit.authoring.drawing import grids, heads
    from toolkit.commands.drawn import draw

    entry = policies.entry(document)
    kind = entry.head.kind
    told = [*heads.head_of(entry)]
    if kind == "table":
        table = policies.table(document).document
        drawn = draw(grids.table_grid(table), partial(grids.stacked_grid, table), where)
        told += heads.table_head(table, entry)
    elif kind == "machine":
        machine = policies.machine(document).document
        drawn = draw(grids.machine_grid(machine), partial(grids.stacked_machine_grid, machine), where)
        told += heads.machine_head(machine, entry)
    elif kind == "vocabulary":
        vocabulary = policies.vocabulary(document)
        drawn = draw(grids.vocabulary_grid(vocabulary), None, where)
        told += heads.vocabulary_head(vocabulary)
    else:
        drawn = _payload(policies, document)
        told += heads.data_head(entry)
    yield from _heads(told, where)
    yield from ("", drawn)


def _heads(told: Iterable[Told], where: Screen) -> Iterator[str]:
    """Labels with their texts; a title begins a group of its own."""
    from toolkit.commands.folding import labelled

    for title, group in groupby(told, key=lambda one: one.title):
        if title:
            for one in group:
                yield from ("", *where.title(f"{one.label}: {one.text}" if one.text else one.label))
        else:
            yield from labelled([(one.label, one.text) for one in group], where)


def _payload(policies: PolicySet, document: str) -> str:
    """A payload as YAML, as policies are written."""
    import yaml

    from toolkit.reporting.visible import visible

    value: Any = thaw(policies.data(document))
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=90)
    return "\n".join(visible(line) for line in text.rstrip("\n").split("\n"))


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
    if not origins:
        return []
    names = [one.part or "the document" for one in origins]
    wide, layer = max(map(len, names)), max(len(one.layer) for one in origins)
    return [
        f"  {name:{wide}}  {one.layer:{layer}}  {one.mark.file}:{one.mark.line}"
        + (f" ({one.overlay})" if one.overlay else "")
        for name, one in zip(names, origins, strict=True)
    ]

"""``dr-policy new``: a first file of a kind of document, which loads as it is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import common_options, fails_clearly, write_json, write_line, write_note, write_text
from toolkit.policy.documents.heads import KINDS
from toolkit.policy.layers import OWN_PACKS, REPOSITORY
from toolkit.policy.problems import PolicyError
from toolkit.reporting.visible import visible
from toolkit.sources import load_policies
from toolkit.sources.found import FOLDER, POLICIES, SUFFIX

if TYPE_CHECKING:
    from toolkit.authoring.scaffolds import Scaffold
    from toolkit.policy.sets import PolicySet

NEXT = ("dr-policy check", "dr-policy test")


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("identity", metavar="ID")
@click.option("--base", metavar="ID", help="The document that an overlay edits.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, and write nothing.")
@common_options
@fails_clearly
def new(kind: str, identity: str, base: str | None, dry_run: bool, cwd: Path, as_json: bool) -> None:
    """Write the first file of a document or overlay of this repository: small, complete, and green as it stands.

    An ID is repo.<name>; repo.billing.signals becomes .dr/policies/billing/signals.yaml. An overlay begins as a copy
    of one part of its base, which it leaves as it is until you edit it.
    """
    from toolkit.authoring.scaffolds import scaffold

    loaded = load_policies(cwd.resolve(), user="none")
    made = scaffold(kind, identity, loaded.policies, base)
    files = {f"{FOLDER}/{POLICIES}/{one.file}{SUFFIX}": one for one in made}
    if not dry_run:
        if loaded.root is None:
            message = f"no {FOLDER} with policies stands here, or above within this Git work tree"
            raise PolicyError("no_layer", message, place=visible(str(cwd.resolve())), next_step="dr-policy init")
        _write(loaded.root, loaded.policies, files)
    if as_json:
        listed = [{"file": name, "id": one.id, "text": one.text} for name, one in files.items()]
        write_json("dr-policy.new/v1", {"files": listed, "kind": kind, "next": list(NEXT), "written": not dry_run})
    elif dry_run:
        _print(files)
    else:
        assert loaded.root is not None
        for name in files:
            write_text(f"wrote {os.path.relpath(loaded.root / name, cwd.resolve())}")
        write_text("next: edit it, then")
        for command in NEXT:
            write_text(f"  {command}")


def _write(root: Path, policies: PolicySet, files: dict[str, Scaffold]) -> None:
    """Write the files, none of them over another, and the schema that the first line of each names, if it is missing.

    Raises ``PolicyError`` (``file_exists``) before anything is written, unless somebody is writing there just now.
    """
    from toolkit.authoring.schemas.published import FOLDER as SCHEMAS
    from toolkit.authoring.schemas.published import SUFFIX as SCHEMA_SUFFIX
    from toolkit.commands.schema import known_in, write_schemas
    from toolkit.sources.places import stands
    from toolkit.sources.writing import KEPT, put_new

    for name in files:
        if stands(root / name):
            raise _exists(name)
    folder = f"{FOLDER}/{SCHEMAS}/"
    kinds = {one.kind for one in files.values()}
    missing = tuple(sorted(kind for kind in kinds if not stands(root / f"{folder}{kind}{SCHEMA_SUFFIX}")))
    if missing:
        write_schemas(root, folder, known_in(policies, OWN_PACKS[REPOSITORY]), missing)
    for name, one in files.items():
        if put_new(root, name, one.text.encode()).outcome == KEPT:
            raise _exists(name)


def _exists(name: str) -> PolicyError:
    return PolicyError(
        "file_exists", "a file stands there, and is not written over", place=name, next_step=f"edit {name}, or move it"
    )


def _print(files: dict[str, Scaffold]) -> None:
    """The files, so that one alone can be redirected as it is."""
    for name, one in files.items():
        if len(files) > 1:
            write_line(f"# {name}")
        else:
            write_note(f"would be {name}")
        write_line(one.text.rstrip("\n"))

"""``dr-policy schema``: JSON Schemas of policies, so that an editor checks and completes them while they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit import __version__
from toolkit.commands.interface import (
    common_options,
    fails_clearly,
    policy_from_option,
    write_json,
    write_line,
    write_note,
    write_text,
)
from toolkit.effects import EFFECTS
from toolkit.policy.documents.heads import KINDS
from toolkit.policy.problems import PolicyError
from toolkit.sources import load_policies

if TYPE_CHECKING:
    from toolkit.authoring.schemas.known import Known
    from toolkit.policy.sets import PolicySet
    from toolkit.sources.writing import Put

MORE_KINDS = ("policy", "config")  # any document, and .dr/config.yaml


class _NamedFolder(click.Path):
    """A directory to write into. An empty name is none: it stands for the current one where a variable is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail("the name is empty; say . for the current directory", param, ctx)
        return super().convert(value, param, ctx)


@click.command()
@click.argument("kind", type=click.Choice([*KINDS, *MORE_KINDS]), required=False)
@click.option(
    "--out",
    type=_NamedFolder(path_type=Path, file_okay=False),
    help="Write DIR/KIND.json, without KIND those of all kinds, instead of printing one.",
    metavar="DIR",
)
@policy_from_option
@common_options
@fails_clearly
def schema(kind: str | None, out: Path | None, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """The JSON Schema (draft-07) of a KIND of document, of any document (policy) or of .dr/config.yaml (config).

    Without KIND: that of any document. Editors with a YAML language server follow the first line of a file that
    dr-policy new writes; for files without that line, map a folder to policy.json.

    It offers the ids, shapes, effects and profiles that are there. What a schema can't say, dr-policy check does.
    """
    start = cwd.resolve()
    known = known_at(start, policy_from=policy_from)
    if out is not None:
        _tell_written(write_schemas(start / out, "", known, (kind,) if kind is not None else None), as_json)
        return
    name = kind or "policy"
    from toolkit.authoring.schemas.published import published

    data = published(name, __version__, known)
    if as_json:
        write_json("dr-policy.schema/v1", {"json_schema": json.loads(data), "kind": name})
        return
    write_line(data.decode().rstrip("\n"))


def known_at(start: Path, *, policy_from: str | None = None, pack: str | None = None) -> Known:
    """What is known where this set is in force, the user's layer aside; of what does not load, what is shipped."""
    try:
        policies = load_policies(start, policy_from=policy_from, user="none").policies
    except PolicyError as fault:
        if not fault.problems:  # none of a file: it could not even be asked
            raise
        write_note("the policies here don't load (dr-policy check), so only what is shipped is offered")
        policies = load_policies(None, user="none").policies
    return known_in(policies, pack)


def known_in(policies: PolicySet, pack: str | None = None) -> Known:
    """What is known where this set is in force."""
    from toolkit.authoring.schemas.known import known_of
    from toolkit.shipped import read_shipped

    shipped = read_shipped()
    return known_of(
        policies,
        shapes=shipped.shapes,
        templates=shipped.templates,
        effects=EFFECTS,
        profiles=shipped.profiles,
        pack=pack,
    )


def write_schemas(root: Path, folder: str, known: Known, names: tuple[str, ...] | None = None) -> list[Put]:
    """Write schemas (all, unless named) into a folder (empty, or ending in a slash) below the directory ``root``.

    One that a newer version wrote, or somebody by hand, is left as it is.
    """
    from toolkit.authoring.schemas.published import NAMES, SUFFIX, may_replace, published
    from toolkit.sources.writing import refresh
    from toolkit.storage.files import make_directory

    make_directory(root)
    return [
        refresh(
            root,
            f"{folder}{name}{SUFFIX}",
            published(name, __version__, known),
            lambda present: may_replace(present, __version__),
        )
        for name in names or NAMES
    ]


def _tell_written(files: list[Put], as_json: bool) -> None:
    if as_json:
        write_json("dr-policy.schema/v1", {"files": [one._asdict() for one in files]})
        return
    for one in files:
        write_text(f"{one.outcome:9}  {one.file}")
    tell_kept(files)


def tell_kept(files: list[Put]) -> None:
    """A note for whoever expects that a file was written."""
    from toolkit.sources.writing import KEPT

    kept = [one.file for one in files if one.outcome == KEPT]
    if kept:
        write_note(f"left as they are, since something else stands there: {', '.join(kept)}")

"""``dr-policy check``: whether every policy in force loads."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.commands.interface import FAILS, common_options, fails_clearly, write_json, write_note, write_text
from toolkit.policy.problems import PolicyError
from toolkit.sources import find_layer, load_policies


@click.command()
@common_options
@fails_clearly
def check(cwd: Path, as_json: bool) -> None:
    """Load the shipped policies and this repository's layer; tell every problem with its place.

    Exit 1 if there is any.
    """
    try:
        loaded = load_policies(find_layer(cwd.resolve()), whole=True)
    except PolicyError as fault:
        _tell_problems(fault, as_json)
        sys.exit(FAILS)
    ids = loaded.policies.ids
    if as_json:
        document = {
            "documents": len(ids),
            "ok": True,
            "problems": [],
            "repository_files": list(loaded.repository_files),
        }
        write_json("dr-policy.check/v1", document)
        return
    own = len(loaded.repository_files)
    write_text(f"ok: {len(ids)} documents, {own} of this repository's own files among their sources")


def _tell_problems(fault: PolicyError, as_json: bool) -> None:
    if as_json:
        problems = [problem.to_json() for problem in fault.problems]
        write_json("dr-policy.check/v1", {"ok": False, "problems": problems})
        return
    for problem in fault.problems:
        write_text(str(problem))
    write_note(f"{len(fault.problems)} problem(s)")

"""``dr-policy check``: whether every policy in force loads, deceives nobody, and is the one that was locked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import (
    FAILS,
    common_options,
    fails_clearly,
    policy_from_option,
    write_json,
    write_note,
    write_text,
)
from toolkit.policy.problems import PolicyError, Problem
from toolkit.sources import LoadedPolicies, load_policies

if TYPE_CHECKING:
    from toolkit.authoring.linting import Linted


@click.command()
@click.option("--locked", is_flag=True, help="Also hold them against .dr/policy.lock.")
@policy_from_option
@common_options
@fails_clearly
def check(locked: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Load the policies in force here from all their layers; tell every problem with its place.

    The files of this repository and of the user are looked at closely too: for characters that nobody sees, letters
    that look like others, and prompts that do not fit their templates. Rows of theirs that no case shows are told as
    warnings, which do not fail.

    With --locked: that each policy, the user's own aside, is the one that .dr/policy.lock names.

    Exit 1 if there is any problem.
    """
    warnings: Sequence[Problem] = ()
    try:
        loaded = load_policies(cwd.resolve(), policy_from=policy_from, whole=True, with_lock=locked)
        linted = _linted(loaded)
        warnings = linted.warnings
        _hold(loaded, linted, locked)
    except PolicyError as fault:
        if not fault.problems:  # none of a file: it could not even be asked
            raise
        _tell_problems(fault, warnings, as_json)
        sys.exit(FAILS)
    if as_json:
        _tell_json(loaded, locked, warnings)
        return
    policies, own = loaded.policies, len(loaded.repository_files)
    what = f"{len(policies.ids)} documents, {own} of this repository's own files among their sources"
    more = [f"profile {policies.profile}"]
    more += [f"{len(loaded.user_files)} of the user's own files"] if loaded.user_files else []
    more += ["as locked"] if locked else []
    write_text(f"ok: {what} ({', '.join(more)})")
    _tell_warnings(warnings)


def _linted(loaded: LoadedPolicies) -> Linted:
    from toolkit.authoring.linting import lint

    parts = loaded.parts
    config = [parts.repository.config] if parts.repository.config is not None else []
    return lint(loaded.policies, [*parts.user.sources, *config, *parts.repository.sources], loaded.up_to)


def _hold(loaded: LoadedPolicies, linted: Linted, locked: bool) -> None:
    """Raise ``PolicyError`` with all that is wrong with a set that loads."""
    found = list(linted.problems)
    if locked:
        found += _against_lock(loaded)
    if found:
        raise PolicyError.of(found)


def _against_lock(loaded: LoadedPolicies) -> Sequence[Problem]:
    from toolkit.sources.lock import differences, missing_lock, read_lock

    if loaded.lock is None:
        return [missing_lock(f"{loaded.tree.revision.text}:" if loaded.tree is not None else "")]
    return differences(read_lock(loaded.lock), loaded.policies)


def _tell_json(loaded: LoadedPolicies, locked: bool, warnings: Sequence[Problem]) -> None:
    document = {
        "documents": len(loaded.policies.ids),
        "locked": locked,
        "ok": True,
        "problems": [],
        "profile": loaded.policies.profile,
        "repository_files": list(loaded.repository_files),
        "user_files": list(loaded.user_files),
        "warnings": [warning.to_json() for warning in warnings],
    }
    write_json("dr-policy.check/v1", document)


def _tell_problems(fault: PolicyError, warnings: Sequence[Problem], as_json: bool) -> None:
    if as_json:
        told = {"problems": fault.problems, "warnings": warnings}
        write_json(
            "dr-policy.check/v1", {"ok": False, **{key: [one.to_json() for one in of] for key, of in told.items()}}
        )
        return
    for problem in fault.problems:
        write_text(str(problem))
    write_note(f"{len(fault.problems)} problem(s)")
    _tell_warnings(warnings)


def _tell_warnings(warnings: Sequence[Problem]) -> None:
    for warning in warnings:
        write_note(f"warning: {warning}")

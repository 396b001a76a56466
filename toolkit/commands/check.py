"""``dr-policy check``: whether every policy in force loads, and is the one that was locked."""

from __future__ import annotations

import sys
from pathlib import Path

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
from toolkit.policy.problems import PolicyError
from toolkit.sources import LoadedPolicies, load_policies


@click.command()
@click.option("--locked", is_flag=True, help="Also hold them against .dr/policy.lock.")
@policy_from_option
@common_options
@fails_clearly
def check(locked: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Load the policies in force here from all their layers; tell every problem with its place.

    With --locked: that each of them, the user's own aside, is the one that .dr/policy.lock names.

    Exit 1 if there is any problem.
    """
    try:
        loaded = load_policies(cwd.resolve(), policy_from=policy_from, whole=True, with_lock=locked)
        if locked:
            _hold_against_lock(loaded)
    except PolicyError as fault:
        if not fault.problems:  # none of a file: it could not even be asked
            raise
        _tell_problems(fault, as_json)
        sys.exit(FAILS)
    if as_json:
        _tell_json(loaded, locked)
        return
    policies, own = loaded.policies, len(loaded.repository_files)
    what = f"{len(policies.ids)} documents, {own} of this repository's own files among their sources"
    more = [f"profile {policies.profile}"]
    more += [f"{len(loaded.user_files)} of the user's own files"] if loaded.user_files else []
    more += ["as locked"] if locked else []
    write_text(f"ok: {what} ({', '.join(more)})")


def _hold_against_lock(loaded: LoadedPolicies) -> None:
    from toolkit.sources.lock import differences, missing_lock, read_lock

    if loaded.lock is None:
        raise PolicyError.of([missing_lock(f"{loaded.tree.revision.text}:" if loaded.tree is not None else "")])
    found = differences(read_lock(loaded.lock), loaded.policies)
    if found:
        raise PolicyError.of(found)


def _tell_json(loaded: LoadedPolicies, locked: bool) -> None:
    document = {
        "documents": len(loaded.policies.ids),
        "locked": locked,
        "ok": True,
        "problems": [],
        "profile": loaded.policies.profile,
        "repository_files": list(loaded.repository_files),
        "user_files": list(loaded.user_files),
    }
    write_json("dr-policy.check/v1", document)


def _tell_problems(fault: PolicyError, as_json: bool) -> None:
    if as_json:
        problems = [problem.to_json() for problem in fault.problems]
        write_json("dr-policy.check/v1", {"ok": False, "problems": problems})
        return
    for problem in fault.problems:
        write_text(str(problem))
    write_note(f"{len(fault.problems)} problem(s)")

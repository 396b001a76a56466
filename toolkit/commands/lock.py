"""``dr-policy lock``: write down which policies are in force, so that a review sees every change of them."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.commands.interface import common_options, fails_clearly, write_json, write_text
from toolkit.policy.problems import PolicyError
from toolkit.sources import load_policies


@click.command()
@common_options
@fails_clearly
def lock(cwd: Path, as_json: bool) -> None:
    """Write .dr/policy.lock: id, version and digest of every policy in force here, the user's own aside.

    It stands beside this repository's policies; without any, at the top of the work tree. Nothing is written where the
    content of a document changed since it was locked and its version did not: raise the version first.

    dr-policy check --locked then fails on every difference.
    """
    from toolkit.sources.lock import NAME, changed_under_version, read_lock, render_lock, write_lock
    from toolkit.sources.places import work_tree_of

    start = cwd.resolve()
    loaded = load_policies(start, with_lock=True)
    if loaded.lock is not None:
        changed = changed_under_version(read_lock(loaded.lock), loaded.policies)
        if changed:
            raise PolicyError.of(changed)
    root = loaded.root or work_tree_of(start)
    written = write_lock(root, render_lock(loaded.policies))
    documents = len(loaded.policies.bound.ids)
    if as_json:
        profile = loaded.policies.bound.profile
        write_json("dr-policy.lock/v1", {"documents": documents, "file": NAME, "profile": profile, "written": written})
        return
    write_text(f"{'wrote' if written else 'unchanged:'} {NAME}, {documents} documents")

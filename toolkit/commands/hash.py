"""``dr-policy hash``: the digest of what an entry point stands on, which a receipt or a log binds."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.commands.interface import common_options, fails_clearly, policy_from_option, write_json, write_text
from toolkit.policy.sets import PolicySet
from toolkit.sources import load_policies


@click.command("hash")
@click.argument("entry", metavar="[ENTRY]", required=False)
@policy_from_option
@common_options
@fails_clearly
def hash_entry(entry: str | None, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """The digest of the pack ENTRY (such as review): of its documents, of all that these name, and of the profile.

    Without ENTRY: of every pack. The user's own layer has no part in it: what is bound here holds elsewhere too.
    """
    policies = load_policies(cwd.resolve(), policy_from=policy_from).policies.bound
    hashed = [_hashed(policies, pack) for pack in ((entry,) if entry is not None else policies.packs)]
    if as_json:
        write_json("dr-policy.hash/v1", hashed[0] if entry is not None else {"entries": hashed})
        return
    for one in hashed:
        write_text(f"{one['digest']}  {one['entry']}")


def _hashed(policies: PolicySet, pack: str) -> dict[str, object]:
    documents = [
        {"digest": policies.digest(one), "id": one, "version": policies.entry(one).head.version}
        for one in policies.closure(pack)
    ]
    return {
        "digest": policies.pack_digest(pack),
        "documents": documents,
        "entry": pack,
        "profile": policies.profile,
    }

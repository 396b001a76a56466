"""``dr-verify resolve-provider``: which peer provider reviews, in the reference's own contract."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands.interface import (
    FAILS,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    tell_failure,
    write_json,
    write_line,
    write_note,
)
from toolkit.errors import ToolkitError

if TYPE_CHECKING:
    from verify.providers.gathering import Asked
    from verify.providers.rules import ProviderRules

TOLD_AS = "resolve-peer-provider"  # the name that messages begin with
COST = WRONG_USAGE  # here, 2 means the cost cap and nothing else


class ProviderCommand(click.Command):
    """A command whose wrong usage exits 1, since 2 has a meaning of its own."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        as_json = "--json" in args
        try:
            return super().make_context(info_name, args, *rest, **extra)
        except click.UsageError as fault:
            _fail(ToolkitError("usage", fault.format_message(), next_step="dr-verify resolve-provider --help"), as_json)
            raise click.exceptions.Exit(FAILS) from fault


@click.command("resolve-provider", cls=ProviderCommand)
@click.option("--peer-provider", metavar="P", help="Decides, when given: sonnet, haiku, opus or none.")
@click.option("--project-config", metavar="F", help="Instead of datarim/config.yaml of the workspace.")
@click.option("--user-config", metavar="F", help="Instead of $XDG_CONFIG_HOME/datarim/config.yaml.")
@click.option("--estimate-cost", metavar="X", help="What the review may cost; above the threshold it is refused.")
@click.option("--no-config", is_flag=True, help="Read neither file.")
@common_options
@fails_clearly
def resolve_provider(
    *,
    peer_provider: str | None,
    project_config: str | None,
    user_config: str | None,
    estimate_cost: str | None,
    no_config: bool,
    cwd: Path,
    as_json: bool,
) -> None:
    """Resolve the peer review provider (the contract of resolve-peer-provider.sh).

    \b
    Output, three lines:
      provider       sonnet | haiku | opus | none
      mode           cross_claude_family | same_model_isolated | disabled
      source layer   cli_flag | per_project_config | per_user_config |
                     fallback_subagent | fallback_isolated

    \b
    Resolution chain; the first step that names a provider decides:
      0  --estimate-cost strictly above PEER_REVIEW_COST_THRESHOLD (default 0.10) is refused
      1  --peer-provider
      2  peer_review.provider of the project's datarim/config.yaml
      3  peer_review.provider of the user's $XDG_CONFIG_HOME/datarim/config.yaml
      4  sonnet as a sub-agent, unless CODEX_RUNTIME is set (and not 0)
      5  opus, isolated

    \b
    Exit status:
      0  resolved
      1  invalid provider, a configuration that can't be read, or wrong usage
      2  cost cap breach

    Warnings go to standard error, each behind WARN.
    """
    from verify.providers.gathering import Asked

    _resolve(Asked(cwd.absolute(), peer_provider, project_config, user_config, estimate_cost, not no_config), as_json)


def _resolve(asked: Asked, as_json: bool) -> None:
    """Print what is resolved, then its warnings; a failure ends the program with its status."""
    from verify.providers.chain import CostCapBreach, resolve
    from verify.providers.gathering import gather

    try:
        rules = _rules(asked.cwd)
        resolution = resolve(gather(asked, os.environ, rules), rules)
    except ToolkitError as fault:
        _fail(fault, as_json)
        sys.exit(COST if isinstance(fault, CostCapBreach) else FAILS)
    if as_json:
        write_json("dr-verify.resolve-provider/v1", resolution._asdict())
    else:
        write_line("\n".join(resolution[:3]))
    # After the answer: who reads both streams as one still finds it in the first three lines.
    for warning in resolution.warnings:
        write_note(warning)


def _rules(place: Path) -> ProviderRules:
    from verify.policies import load_verify_policies
    from verify.providers.rules import ProviderRules
    from verify.workspace import workspace_at

    workspace = workspace_at(place)
    return ProviderRules.from_policy(load_verify_policies(workspace.root if workspace else place).policies)


def _fail(fault: ToolkitError, as_json: bool) -> None:
    """One line that begins with the reference's name, or the ``error`` document. Nothing else on standard output."""
    from verify.providers.chain import INVALID

    if as_json:
        tell_failure(fault, as_json)
        return
    # The reference's line on an invalid provider stands as it is; where the word was found comes after it.
    listed = fault.code == INVALID
    write_note(
        f"{TOLD_AS}: {fault.message}" if listed or not fault.place else f"{TOLD_AS}: {fault.place}: {fault.message}"
    )
    if listed and fault.place:
        write_note(f"{TOLD_AS}: it is named in {fault.place}")

"""``dr-policy``: look at policies, check them, ask them, and have their answers explained."""

from __future__ import annotations

import click

from toolkit.commands.analyze import analyze
from toolkit.commands.check import check
from toolkit.commands.diff import diff
from toolkit.commands.evaluate import evaluate
from toolkit.commands.explain import explain
from toolkit.commands.fmt import fmt
from toolkit.commands.hash import hash_entry
from toolkit.commands.init import init
from toolkit.commands.interface import run_group, version_option
from toolkit.commands.lock import lock
from toolkit.commands.new import new
from toolkit.commands.replay import replay
from toolkit.commands.schema import schema
from toolkit.commands.show import list_documents, show
from toolkit.commands.test import ask_cases


@click.group("dr-policy", context_settings={"help_option_names": ["-h", "--help"]})
@version_option("dr-policy")
def dr_policy() -> None:
    """Work with the policies that judge: YAML documents, evaluated by a small total interpreter.

    The shipped policies are in force everywhere; a repository adds its own in .dr/policies/ and chooses a profile in
    .dr/config.yaml, a user adds to them in ~/.config/dr/policies.

    Exit status: 0 it holds, 1 a check failed, 2 wrong usage or bad input, 3 it could not be determined.
    """


for command in (
    check,
    list_documents,
    show,
    evaluate,
    explain,
    analyze,
    lock,
    hash_entry,
    ask_cases,
    fmt,
    init,
    new,
    schema,
    diff,
    replay,
):
    dr_policy.add_command(command)


def main() -> None:
    """The entry point of the program ``dr-policy``."""
    run_group(dr_policy, "dr-policy")

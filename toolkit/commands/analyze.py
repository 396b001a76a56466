"""``dr-policy analyze``: what is wrong with tables and machines, and what is good to know, without asking them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    UNDETERMINED,
    common_options,
    fails_clearly,
    json_text,
    policy_from_option,
    write_json,
    write_text,
)
from toolkit.policy.problems import PolicyError, clipped
from toolkit.policy.sets import PolicySet
from toolkit.sources import load_policies

if TYPE_CHECKING:
    from toolkit.authoring.analysis import Finding

KINDS = ("table", "machine")
FAULT, OPEN, HOLDING, KNOWN = "fault", "not known", "holds", "info"


@click.command()
@click.argument("documents", metavar="[ID...]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Tell what holds too, and what is good to know.")
@policy_from_option
@common_options
@fails_clearly
def analyze(documents: tuple[str, ...], everything: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Look for faults in the tables and machines ID (in all, unless told), whatever the facts will be.

    Facts that no row answers or that two do, rows that can't match or never decide, inputs that nothing reads,
    states that are never reached, transitions that are never taken: each with facts that show it. Policies that don't
    load for a gap or an overlap are analyzed too.

    Exit 1 if there is a fault, 3 if there is none but something could not be told.
    """
    from toolkit.authoring.analysis import analyze as analyze_set

    policies = load_policies(cwd.resolve(), policy_from=policy_from, prove=False).policies
    chosen = sorted(set(documents)) or policies.ids
    kinds = Counter(policies.entry(one).head.kind for one in chosen)
    if not any(kinds[kind] for kind in KINDS):
        raise _nothing(policies, chosen)
    findings = analyze_set(policies, chosen)
    faults, unknown = sum(one.is_fault for one in findings), sum(one.is_open for one in findings)
    if as_json:
        _tell_json(findings, kinds, policies, ok=not faults and not unknown)
    else:
        _tell(findings, kinds, everything)
    sys.exit(FAILS if faults else UNDETERMINED if unknown else HOLDS)


def _nothing(policies: PolicySet, chosen: Iterable[str]) -> PolicyError:
    """That there is no table and no machine is told: nothing was looked at, so nothing holds."""
    named = ", ".join(f"{one} is a {policies.entry(one).head.kind}" for one in chosen)
    message = clipped(f"there is nothing to analyze: {named or 'there are no documents'}")
    return PolicyError("nothing_to_analyze", message, next_step="name a table or a machine: dr-policy list")


def _tell_json(findings: Sequence[Finding], kinds: Mapping[str, int], policies: PolicySet, *, ok: bool) -> None:
    document = {
        "boxes": sum(one.boxes for one in findings),
        "left_out": _left_out(kinds),
        "machines": kinds["machine"],
        "ok": ok,
        "profile": policies.profile,
        "proofs": [one.to_json() for one in findings],
        "tables": kinds["table"],
    }
    write_json("dr-policy.analyze/v1", document)


def _left_out(kinds: Mapping[str, int]) -> int:
    return sum(count for kind, count in kinds.items() if kind not in KINDS)


def _tell(findings: Sequence[Finding], kinds: Mapping[str, int], everything: bool) -> None:
    by_document: dict[str, list[Finding]] = {}
    for one in findings:
        by_document.setdefault(one.document, []).append(one)
    for name, listed in by_document.items():
        told = sorted((one for one in listed if everything or one.is_fault or one.is_open), key=_rank)
        if told:
            write_text("\n".join([name, *(line for one in told for line in _lines(one))]) + "\n")
    write_text(_summary(findings, kinds, everything))


def _word(one: Finding) -> str:
    if one.is_fault:
        return FAULT
    if one.is_open:
        return OPEN
    return KNOWN if one.is_news else HOLDING


def _rank(one: Finding) -> int:
    return (FAULT, OPEN, KNOWN, HOLDING).index(_word(one))


def _lines(one: Finding) -> list[str]:
    """A finding, then where it stands and facts that show it, each below."""
    if _word(one) == HOLDING:  # the kind is the name of a defect, which it does not have
        return [f"  {HOLDING:9} {one.message}", *_facts(one)]
    lines = [f"  {_word(one):9} {one.kind}: {one.message}"]
    return [*lines, *([] if one.is_news else [f"{'':12}at {one.mark}"]), *_facts(one)]


def _facts(one: Finding) -> list[str]:
    if one.witness is None:
        return []
    facts = ", ".join(f"{name} {clipped(json_text(value))}" for name, value in one.witness.items())
    return [f"{'':12}for instance {facts or 'without any facts'}"]


def _summary(findings: Sequence[Finding], kinds: Mapping[str, int], everything: bool) -> str:
    faults, unknown = sum(one.is_fault for one in findings), sum(one.is_open for one in findings)
    known = sum(one.is_news for one in findings)
    parts = [_count(faults, "fault"), f"{unknown} not known"] if unknown else [_count(faults, "fault")]
    parts.append(f"{known} good to know" + ("" if everything or not known else " (--all tells them)"))
    analyzed = [_count(kinds[kind], kind) for kind in KINDS if kinds[kind]]
    told = f"{' and '.join(analyzed)} analyzed: {', '.join(parts)}"
    left = _left_out(kinds)
    return f"{told}; left out, since of them nothing is claimed: {_count(left, 'other document')}" if left else told


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"

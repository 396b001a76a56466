"""The cited paths of one document against the declared roots: what is missing, what leads out, what is unsure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

from verify.paths.citations import Citation, Citations
from verify.paths.nested import NestedRepositories, nested_repositories
from verify.paths.roots import Outcome, Roots
from verify.paths.rules import PathRules
from verify.paths.words import Doubt


class Standing(Enum):
    """What became of a distinct cited path. ``COMING``: it isn't there yet, and the document says that it is new."""

    PRESENT = "present"
    COMING = "coming"
    MISSING = "missing"
    ESCAPING = "escaping"
    UNSURE = "unsure"


class Claim(NamedTuple):
    """A distinct path, at the first line that cites it, as it is to be quoted. ``marked_new``: anywhere it is."""

    text: str
    line: int
    marked_new: bool
    readings: tuple[str, ...]


class Judgement(NamedTuple):
    """``cited`` counts the distinct paths, but for the ``unsure`` ones. ``coming`` is never in ``missing``."""

    cited: int
    missing: tuple[Claim, ...]
    coming: tuple[Claim, ...]
    escaping: tuple[Claim, ...]
    unsure: int


def judge(citations: Citations, roots: Roots, *, folder: str = "", names: Iterable[str] = ()) -> Judgement:
    """Every distinct path, judged once.

    A bare file name stands where another cited path ends in it: it is present when that one is, and when that
    one is at fault, the fault is reported there alone. It is present, too, when it is one of ``names``: files that
    are known to stand somewhere in the roots. What begins with a dot may also be meant from ``folder``, where the
    citing document stands (relative to a root).
    """
    claims: dict[str, Citation] = {}
    new: set[str] = set()
    for citation in citations.paths:
        key = normpath(citation.text)
        claims.setdefault(key, citation)
        if citation.marked_new:
            new.add(key)
    standings = {key: _standing(key in new, citation, roots, folder) for key, citation in claims.items()}
    paths = (key for key, standing in standings.items() if "/" in key and standing is not Standing.UNSURE)
    elsewhere = {*names, *(key.rpartition("/")[2] for key in paths)}
    for key, standing in standings.items():
        if key in elsewhere and "/" not in claims[key].text and standing is not Standing.ESCAPING:
            standings[key] = Standing.PRESENT
    chosen = {
        standing: tuple(_claim(claims[key], key in new, roots) for key, found in standings.items() if found is standing)
        for standing in (Standing.MISSING, Standing.COMING, Standing.ESCAPING)
    }
    unsure = sum(1 for standing in standings.values() if standing is Standing.UNSURE)
    return Judgement(
        cited=len(standings) - unsure,
        missing=chosen[Standing.MISSING],
        coming=chosen[Standing.COMING],
        escaping=chosen[Standing.ESCAPING],
        unsure=unsure + citations.unsure,
    )


def holders(claims: Iterable[Claim], workspace: Path, rules: PathRules) -> tuple[tuple[str, ...], NestedRepositories]:
    """The nested repositories of the workspace under each of which all ``claims`` resolve, and the search itself."""
    nested = nested_repositories(workspace, rules.nested)
    wanted = tuple(claims)
    holding = []
    for place in nested.found:
        inside = Roots([workspace / place], rules.most_links)
        if all(_stands(claim.text, claim.readings, inside) for claim in wanted):
            holding.append(place)
    return tuple(holding), nested


def _standing(new: bool, citation: Citation, roots: Roots, folder: str) -> Standing:
    outcome = roots.resolve(citation.text).outcome
    beside = (f"{folder}/{citation.text}",) if folder and citation.text.startswith(("./", "../")) else ()
    if _stands(citation.text, (*citation.readings, *beside), roots):
        return Standing.PRESENT
    if outcome is Outcome.ESCAPES:
        return Standing.ESCAPING
    unclear = outcome is Outcome.UNREADABLE or citation.doubt is Doubt.UNLESS_FOUND
    if unclear or (citation.doubt is Doubt.UNLESS_ANCHORED and not roots.anchored(citation.text)):
        return Standing.UNSURE
    return Standing.COMING if new else Standing.MISSING


def _stands(text: str, readings: Iterable[str], roots: Roots) -> bool:
    return any(roots.resolve(reading).outcome is Outcome.RESOLVED for reading in (text, *readings))


def _claim(citation: Citation, new: bool, roots: Roots) -> Claim:
    """The claim with the path as it is to be quoted: of "mytool src/a.py" the end alone, where ``src`` exists."""
    text = citation.text
    if " " in text.partition("/")[0] and not roots.anchored(text):
        ends = (reading for reading in citation.readings if text.endswith(f" {reading}") and roots.anchored(reading))
        text = next(ends, text)
    return Claim(text, citation.line, new, citation.readings)

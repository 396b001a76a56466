"""Cited paths: what counts as one, and where it resolves.

``find_citations`` reads them off a document's blocks; ``Roots`` looks them up; ``judge`` puts the two together.
"""

from verify.paths.citations import Citation, Citations, find_citations
from verify.paths.judging import Claim, Judgement, holders, judge
from verify.paths.roots import Outcome, Resolution, Roots, resolve
from verify.paths.rules import PathRules
from verify.paths.words import Doubt

__all__ = [
    "Citation",
    "Citations",
    "Claim",
    "Doubt",
    "Judgement",
    "Outcome",
    "PathRules",
    "Resolution",
    "Roots",
    "find_citations",
    "holders",
    "judge",
    "resolve",
]

"""Acceptance criteria: where a document defines them, what belongs to each, and whether it says how to verify it."""

from __future__ import annotations

from verify.criteria.cues import Cue, find_cue, says_something
from verify.criteria.definitions import Definition, criteria_in
from verify.criteria.found import Criterion, find_criteria
from verify.criteria.labels import labels_in
from verify.criteria.pieces import Piece
from verify.criteria.rules import CriteriaRules

__all__ = [
    "CriteriaRules",
    "Criterion",
    "Cue",
    "Definition",
    "Piece",
    "criteria_in",
    "find_criteria",
    "find_cue",
    "labels_in",
    "says_something",
]

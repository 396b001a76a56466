"""Proofs about tables: for every legal set of facts, or refuted by a witness, or openly not proved.

The space of facts is split into boxes at the constants that cells name (``columns``, ``space``, ``boxes``); what boxes
can't tell of lets is settled by branch and bound (``linear``, ``simplex``, ``numbers``); a counterexample counts once
real facts have shown it (``samples``, ``witnesses``).

A table is made ready once (``prepared``), and every proof is the end of a claim about it (``claims``): of one table
(``totality``, ``requirements``; ``owed`` says which), or of a table before and after an edit (``stronger``), the two
made ready as one (``pairs``).
"""

from __future__ import annotations

from toolkit.policy.proofs.owed import prove
from toolkit.policy.proofs.results import MAX_BOXES, NOT_PROVED, PROVED, REFUTED, Proof
from toolkit.policy.proofs.stronger import same_or_stronger

__all__ = ["MAX_BOXES", "NOT_PROVED", "PROVED", "REFUTED", "Proof", "prove", "same_or_stronger"]

"""Formatting: one spelling for every policy, with all its comments, and never another meaning.

A file is read strictly, then once more as written (``reading``), its known keys are put in their order (``ordering``),
and it is laid out anew (``layout``). What comes out is read again: unless it says the same and holds the same comments,
nothing comes out (``keeping``).
"""

from __future__ import annotations

from toolkit.authoring.formatting.keeping import format_policy

__all__ = ["format_policy"]

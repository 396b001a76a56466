"""Cases: what documents and overlays say they decide, asked of what is in force, and the rows that they cover.

A case is read strictly (``cases``), held against the table or machine that it is of and asked of it (``asking``), and
ends as one of five outcomes (``running``, ``results``). Rows that a passing case hit are covered (``coverage``).
"""

from __future__ import annotations

from toolkit.authoring.testing.coverage import Coverage
from toolkit.authoring.testing.results import CHANGED, ERROR, FAIL, OUTCOMES, PASS, TODO, CaseRun, Result
from toolkit.authoring.testing.running import run_cases

__all__ = ["CHANGED", "ERROR", "FAIL", "OUTCOMES", "PASS", "TODO", "CaseRun", "Coverage", "Result", "run_cases"]

"""What can be said of tables and machines without asking them anything: faults that an edit left behind, and facts.

Every finding is a claim about all legal facts (``findings``), found by splitting the space of facts into boxes, as
loading does to prove a set. Facts that are shown were asked of the compiled rows first (``tried``); ``examined`` is
one table under examination, on one account of boxes. What is claimed: of what loading proves, of each row (``rows``),
of what nothing reads (``unused``), of the order of rows (``order``), of null (``nulls``), of answers (``answers``), of
a machine's states and transitions (``machines``). Vocabularies and payloads decide nothing, so nothing is claimed of
them.
"""

from __future__ import annotations

from toolkit.authoring.analysis.findings import FAULTS, INFORMATION, Finding
from toolkit.authoring.analysis.machines import analyze_machine
from toolkit.authoring.analysis.sets import MAX_RUN_BOXES, analyze
from toolkit.authoring.analysis.tables import analyze_table

__all__ = ["FAULTS", "INFORMATION", "MAX_RUN_BOXES", "Finding", "analyze", "analyze_machine", "analyze_table"]

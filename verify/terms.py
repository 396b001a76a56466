"""The terms of the policy vocabularies that code itself must produce or act on, each named once.

Everything else about a term (its meaning, its order, what follows from it) stands in ``policies/``.
``check_terms`` holds these names against the loaded vocabularies, so that neither can drift from the other.
"""

from __future__ import annotations

from typing import Final

# verify.layers
FLOOR: Final = "floor"
PEER_REVIEW: Final = "peer_review"
DISPATCH: Final = "dispatch"

# verify.evidence-type
FILE_QUOTE: Final = "file_quote"
TEST_OUTPUT: Final = "test_output"
ABSENT: Final = "absent"

# verify.agent-origin
FLOOR_PIPELINE: Final = "floor_pipeline"

# verify.check-status
RAN: Final = "ran"
NOTHING_TO_RUN: Final = "nothing-to-run"
COULD_NOT_RUN: Final = "could-not-run"

# verify.layer-status (``ran`` is shared with the checks' statuses)
SKIPPED: Final = "skipped"
NOT_RUN: Final = "not-run"
ERROR: Final = "error"

# verify.stage
STAGE_ALL: Final = "all"

NAMED: Final[dict[str, tuple[str, ...]]] = {
    "verify.layers": (FLOOR, PEER_REVIEW, DISPATCH),
    "verify.evidence-type": (FILE_QUOTE, TEST_OUTPUT, ABSENT),
    "verify.agent-origin": (FLOOR_PIPELINE,),
    "verify.check-status": (RAN, NOTHING_TO_RUN, COULD_NOT_RUN),
    "verify.layer-status": (RAN, SKIPPED, NOT_RUN, ERROR),
    "verify.stage": (STAGE_ALL,),
}

"""What code can do as a machine takes a transition: every effect that a policy may name, and what it does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EFFECTS: Mapping[str, str] = MappingProxyType(
    {
        # A review.
        "freeze-findings": "Number the findings in canonical order and keep them with their routes, for good.",
        "request-refutation": "Ask for one refuter batch over every severe finding that rests on inference.",
        "open-correction": "Let the frozen ids be corrected within what is left of the budget, and ask for a forecast.",
        "record-forecast": "Keep the forecast of a correction, before anything is edited.",
        "request-validation": "Freeze the correction and ask for its one targeted validation.",
        "charge-attempt": "Keep the attempt with its snapshot, its lines and both checks, and charge the lines.",
        "record-follow-ups": "Keep what was observed and blocks nothing.",
        "request-evidence": "Ask for final evidence from something that was run.",
        "record-evidence": "Keep the digest of the final evidence, over its bytes.",
        "record-reason": "Keep the reason that was given.",
        "write-receipt": "Write the receipt, the projection of the state that ended the review.",
        "issue-acknowledgement": "Issue the one-time token with which an approval is acknowledged.",
        "record-consumption": "Keep the fact that this candidate was approved and acknowledged.",
        "burn-authority": "Remove the state and everything that was kept for it.",
        "close-lineage": "Refuse every later change of this lineage: what follows is another one.",
        # Judgment Day.
        "seat-judges": "Bind two blind judges to the frozen candidate, for this round and its scope.",
        "freeze-rows": "Freeze the findings of the round as canonical rows, and keep their digest.",
        "authorise-fix": "Make the activation that names exactly the frozen severe ids and the paths to edit.",
        "record-survivors": "Keep the ids that the last round did not settle, for a person.",
    }
)

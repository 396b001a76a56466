"""The policies that judge a workspace: the shipped set and the repository's layer, held against the code's terms."""

from __future__ import annotations

from pathlib import Path

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.sources import LoadedPolicies, load_policies
from verify.terms import NAMED

PACK = "verify"


def load_verify_policies(workspace: Path | None, policy_from: str | None = None) -> LoadedPolicies:
    """The policies in force for a workspace (null: what is shipped, and what the user adds).

    With ``policy_from`` the repository's layer is that of this revision instead of the working tree's. Raises as
    ``load_policies`` does.
    """
    loaded = load_policies(workspace, policy_from=policy_from, packs=(PACK,))
    check_terms(loaded.policies)
    return loaded


def check_terms(policies: PolicySet) -> None:
    """Every term that code names stands in its vocabulary; else ``PolicyError`` (``term_missing``)."""
    for document, terms in NAMED.items():
        known = policies.vocabulary(document).terms
        for term in terms:
            if term not in known:
                message = f"the verifier needs the term {term!r}, which {document} lacks"
                raise PolicyError("term_missing", message, place=document, next_step="put the term back")

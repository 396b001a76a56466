"""What a policy's digest covers: everything that decides, nothing that is only worded or spelt."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.policy.documents import effective_content
from toolkit.policy.nodes import Node
from toolkit.storage.canonical import digest

DOCUMENT_DOMAIN = "dr-policy/document/v1"
CLOSURE_DOMAIN = "dr-policy/closure/v1"


def document_digest(node: Node) -> str:
    """Digest of one effective document. Row order counts; comments, key order, quoting and file names do not."""
    return digest(DOCUMENT_DOMAIN, effective_content(node))


def closure_digest(digests: Mapping[str, str]) -> str:
    """Digest of a closure: the digests of its documents by id."""
    return digest(CLOSURE_DOMAIN, dict(digests))

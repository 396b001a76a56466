"""What a policy's digest covers: everything that decides, nothing that is only worded or spelt."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.policy.documents.heads import TEMPLATES, effective_content
from toolkit.policy.syntax.nodes import Node
from toolkit.storage.canonical import bytes_digest, digest

DOCUMENT_DOMAIN = "dr-policy/document/v1"
CLOSURE_DOMAIN = "dr-policy/closure/v1"


def document_digest(node: Node, templates: Mapping[str, bytes]) -> str:
    """Digest of one effective document, the bytes of the templates that it names included.

    Row order counts; comments, key order, quoting and file names do not.
    """
    content = effective_content(node)
    if TEMPLATES in content:
        content[TEMPLATES] = {name: bytes_digest(templates[name]) for name in content[TEMPLATES]}
    return digest(DOCUMENT_DOMAIN, content)


def closure_digest(digests: Mapping[str, str], profile: str) -> str:
    """Digest of a closure: the digests of its documents by id, and the profile under which they stand."""
    return digest(CLOSURE_DOMAIN, {"documents": dict(digests), "profile": profile})

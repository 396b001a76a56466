"""Canonical bytes and digests of JSON values: one value, one spelling, one identity (RFC 8785)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from toolkit.errors import ToolkitError

ALGORITHM: Final = "sha256"


def canonical_bytes(value: object) -> bytes:
    """The RFC 8785 (JCS) spelling of ``value``: UTF-8, keys sorted, no insignificant space.

    ``value`` is any JSON value; mappings and tuples (the immutable forms) count as objects and arrays. What JSON
    can't say exactly (an integer outside +/-(2**53 - 1), NaN, a lone surrogate, a key that is no string) raises
    ``ToolkitError`` with the code ``not_canonical``.
    """
    import rfc8785

    try:
        return rfc8785.dumps(_plain(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise ToolkitError(
            "not_canonical",
            f"the value has no canonical JSON form: {error}",
            next_step="use JSON values only, with integers inside +/-(2^53 - 1) and valid Unicode text",
        ) from error


def digest(domain: str, value: object) -> str:
    """``sha256:<hex>`` over the line ``domain``, a newline, and the canonical bytes of ``value``.

    The domain line keeps digests of different kinds of thing apart: equal bytes with another meaning never share one.
    """
    return bytes_digest(domain.encode() + b"\n" + canonical_bytes(value))


def bytes_digest(data: bytes) -> str:
    """``sha256:<hex>`` of ``data`` as it stands."""
    return f"{ALGORITHM}:{hashlib.sha256(data).hexdigest()}"


def _plain(value: object) -> Any:
    """``value`` with mappings and tuples turned into the dicts and lists that the library knows."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value

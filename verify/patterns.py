"""Patterns that stand in data documents: compiled on RE2, so that no text and no policy can make one slow."""

from __future__ import annotations

from typing import Any


def compiled(pattern: str, document: str) -> Any:
    """An RE2 pattern, ready to search. Raises ``PolicyError`` (``invalid_pattern``) that names the ``document``."""
    import re2

    from toolkit.policy.problems import PolicyError

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        message = f"{document} has a pattern that is not RE2 syntax: {reason}"
        raise PolicyError("invalid_pattern", message, place=document, next_step="mend that pattern") from error

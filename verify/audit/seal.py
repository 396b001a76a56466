"""The seal of a log: a last line with the digest of all bytes before it, so that half a log never looks whole."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from toolkit.storage.canonical import bytes_digest

DOMAIN: Final = b"dr-verify/log/v1\n"
LINE: Final = "<!-- dr-verify: the log ends here, {digest} -->\n"


def sealed(content: bytes) -> bytes:
    """``content``, which ends in a newline, with its seal."""
    return content + LINE.format(digest=_digest(content)).encode()


def seal_of(data: bytes) -> bool | None:
    """Whether the last line of ``data`` is the right seal of what stands before it, or null where it is no seal."""
    start = data.rfind(b"\n", 0, -1) + 1
    match = _line().fullmatch(data, start)
    return None if match is None else match["digest"].decode() == _digest(data[:start])


def _digest(content: bytes) -> str:
    return bytes_digest(DOMAIN + content)


@cache
def _line() -> re.Pattern[bytes]:
    pattern = re.escape(LINE).replace(re.escape("{digest}"), "(?P<digest>sha256:[0-9a-f]{64})")
    return re.compile(pattern.encode())

"""One shim as bytes: written from the template, closed by a digest of itself, and recognised by it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from toolkit.errors import UndeterminedError
from toolkit.shipped import shipped_root
from toolkit.storage.canonical import bytes_digest

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT: Final = "verify.shims"
TEMPLATE: Final = ("templates", "shims", "shim.sh.in")
DOMAIN: Final = b"dr-verify/shim/v1\n"
SEAL: Final = b"# dr-verify shim, "


class Shim(NamedTuple):
    """A tool's file name, and the command that answers for it."""

    name: str
    command: tuple[str, ...]


class ShimRules(NamedTuple):
    """``verify.shims`` as code uses it. ``max_bytes`` bounds what is read of a file that stands in the way."""

    variable: str
    max_bytes: int
    shims: tuple[Shim, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ShimRules:
        """The rules of the loaded policies (their shape has proved the types, and that names are plain)."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        shims = tuple(Shim(entry["name"], entry["command"]) for entry in value["shims"])
        return cls(value["variable"], value["max_bytes"], shims)


def script_of(shim: Shim, program: str, rules: ShimRules) -> bytes:
    """The script that runs ``program`` (an absolute path, of any characters) with the shim's command."""
    words = {
        "NAME": shim.name,
        "COMMAND": " ".join(shim.command),
        "VARIABLE": rules.variable,
        "PROGRAM": shlex.quote(program),
    }
    text = re.sub("@([A-Z]+)@", lambda match: words[match[1]], _template())
    content = os.fsencode(text)
    return content + SEAL + bytes_digest(DOMAIN + content).encode() + b"\n"


def is_ours(data: bytes) -> bool:
    """Whether ``data`` is a shim to the byte as some installation wrote it: its last line is the digest of the rest."""
    start = data.rfind(b"\n", 0, -1) + 1
    return data[start:] == SEAL + bytes_digest(DOMAIN + data[:start]).encode() + b"\n"


def _template() -> str:
    path = shipped_root().joinpath(*TEMPLATE)
    try:
        return path.read_text("utf-8")
    except OSError as error:
        message = f"the installation lacks {'/'.join(TEMPLATE)}: {error.strerror}"
        raise UndeterminedError(
            "template_missing", message, place=str(path), next_step="install dr-verify again"
        ) from error

"""The layers of a set: whose documents they hold, which wins, and the pack that each keeps to."""

from __future__ import annotations

from typing import NamedTuple

# Later layers win. A profile is chosen by the repository's configuration and shipped with the tool.
SHIPPED, PROFILE, USER, REPOSITORY = LAYERS = ("shipped", "profile", "user", "repository")
# The pack of the documents and overlays of a layer that edits what is shipped; nobody else's may be of it.
OWN_PACKS = {PROFILE: "profile", USER: "user", REPOSITORY: "repo"}
DEFAULT_PROFILE = "compact"  # the shipped documents as they stand
MAX_DOCUMENTS = 1000
MAX_SET_BYTES = 16 * 1024 * 1024  # of all files together; a thousand files of the largest size would fill any memory


class Source(NamedTuple):
    """The bytes of one policy file, its name for messages, and the layer to which it belongs."""

    file: str
    data: bytes
    layer: str


class Edit(NamedTuple):
    """An overlay that edited a document: its id and version, its layer, its file, and where its rules come from."""

    id: str
    version: str
    layer: str
    file: str
    source: str

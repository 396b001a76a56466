"""Where the shipped policies and templates stand: inside the installed package, or beside it in a checkout.

The wheel carries both folders under ``toolkit/shipped_data``; an editable install and a plain checkout read the
folders of the source tree. The bytes are the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from toolkit.errors import UndeterminedError

POLICIES, TEMPLATES = FOLDERS = ("policies", "templates")
PROFILES = f"{POLICIES}/profiles/"  # a folder a profile, with overlays on the documents beside it
SHAPES = f"{POLICIES}/shapes/"
POLICY, SHAPE = ".yaml", ".json"


class Shipped(NamedTuple):
    """The bytes of everything that decides, each file read once.

    ``documents`` are the policies by their path from the root (``policies/verify/limits.yaml``), ``profiles`` the
    overlays of each profile likewise, ``shapes`` the JSON Schemas of payloads by name, ``templates`` by their path from
    ``templates/``.
    """

    documents: Mapping[str, bytes]
    profiles: Mapping[str, Mapping[str, bytes]]
    shapes: Mapping[str, bytes]
    templates: Mapping[str, bytes]


def shipped_root() -> Path:
    """The directory that holds ``policies/`` and ``templates/``. Raises where the installation is damaged."""
    package = Path(__file__).resolve().parent
    for root in (package / "shipped_data", package.parent):
        if (root / POLICIES).is_dir():
            return root
    raise UndeterminedError(
        "shipped_policies_missing",
        "the installation holds no policies",
        place=str(package),
        next_step="install dr-verify again",
    )


def read_shipped() -> Shipped:
    """Everything that is shipped, in a fixed order."""
    documents: dict[str, bytes] = {}
    profiles: dict[str, dict[str, bytes]] = {}
    shapes: dict[str, bytes] = {}
    root = str(shipped_root())
    for name in _names(root, POLICIES):
        if name.startswith(SHAPES):
            if name.endswith(SHAPE):
                shapes[name[len(SHAPES) : -len(SHAPE)]] = _bytes(root, name)
        elif not name.endswith(POLICY):
            continue
        elif name.startswith(PROFILES):
            profiles.setdefault(name[len(PROFILES) :].partition("/")[0], {})[name] = _bytes(root, name)
        else:
            documents[name] = _bytes(root, name)
    return Shipped(documents, profiles, shapes, shipped_templates())


def shipped_policy_files() -> tuple[Path, ...]:
    """Every shipped policy document, in a fixed order; the overlays of profiles are none."""
    root = shipped_root()
    names = _names(str(root), POLICIES)
    return tuple(root / name for name in names if name.endswith(POLICY) and not name.startswith((PROFILES, SHAPES)))


def shipped_shapes() -> Mapping[str, bytes]:
    """The shapes of data payloads (JSON Schemas) by name."""
    return read_shipped().shapes


def shipped_templates() -> Mapping[str, bytes]:
    """The templates by their path from ``templates/``."""
    root = str(shipped_root())
    start = len(TEMPLATES) + 1
    return {name[start:]: _bytes(root, name) for name in _names(root, TEMPLATES)}


def _names(root: str, folder: str) -> Iterator[str]:
    """The files below a folder by their path from the root, in a fixed order. A missing folder holds none."""
    try:
        with os.scandir(f"{root}/{folder}") as found:
            entries = sorted((entry.name, entry.is_dir()) for entry in found)
    except FileNotFoundError:
        return
    for name, is_folder in entries:
        if is_folder:
            yield from _names(root, f"{folder}/{name}")
        else:
            yield f"{folder}/{name}"


def _bytes(root: str, name: str) -> bytes:
    with open(f"{root}/{name}", "rb", buffering=0) as file:
        return file.read()

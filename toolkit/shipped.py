"""Where the shipped policies and templates stand: inside the installed package, or beside it in a checkout.

The wheel carries both folders under ``toolkit/shipped_data``; an editable install and a plain checkout read the
folders of the source tree. The bytes are the same.
"""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import UndeterminedError

FOLDERS = ("policies", "templates")


def shipped_root() -> Path:
    """The directory that holds ``policies/`` and ``templates/``. Raises where the installation is damaged."""
    package = Path(__file__).resolve().parent
    for root in (package / "shipped_data", package.parent):
        if (root / FOLDERS[0]).is_dir():
            return root
    raise UndeterminedError(
        "shipped_policies_missing",
        "the installation holds no policies",
        place=str(package),
        next_step="install dr-verify again",
    )


def shipped_policy_files() -> tuple[Path, ...]:
    """Every shipped policy document, in a fixed order."""
    return tuple(sorted((shipped_root() / "policies").rglob("*.yaml")))


def shipped_shapes() -> dict[str, bytes]:
    """The shapes of data payloads (JSON Schemas) by name."""
    folder = shipped_root() / "policies" / "shapes"
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.json"))}

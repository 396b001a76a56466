"""Golden files: what a program printed, held against what it is known to print."""

from __future__ import annotations

import os
from pathlib import Path


def hold(path: Path, text: str) -> None:
    """Hold a text against a golden file; ``REGENERATE_GOLDEN=1`` writes the file anew."""
    if os.environ.get("REGENERATE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    assert text == path.read_text(encoding="utf-8")

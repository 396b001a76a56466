"""Write the pinned digests of the shipped set again; run it by hand where a change of rules is meant."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_golden_digests import PINNED, PROFILES, closures, shipped_set

from toolkit.shipped import read_shipped
from toolkit.sources.lock import render_lock


def main() -> None:
    PINNED.mkdir(exist_ok=True)
    for profile in PROFILES:
        policies = shipped_set(read_shipped(), profile)
        (PINNED / f"{profile}.lock").write_bytes(render_lock(policies))
        (PINNED / f"{profile}.closures.json").write_text(json.dumps(closures(policies), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

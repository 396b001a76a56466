"""What the README shows is what happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests_support import Run

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_run_that_the_readme_shows_is_what_the_example_prints(run: Run, example: Callable[[str], Path]) -> None:
    shown = re.search(r"```text\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    assert shown is not None
    printed = run("dr-verify", "LEDG-0042", "--floor-only", "--no-write", cwd=example("ledger")).stdout.splitlines()
    at = 0
    for line in filter(None, shown[1].splitlines()):
        if line.strip() != "…":
            start = line.rstrip("…")
            at = next(n for n, text in enumerate(printed[at:], at) if text == line or text.startswith(start)) + 1


def test_every_link_of_the_documents_leads_somewhere() -> None:
    for document in (REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").rglob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"

"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests_support import Run

from toolkit.effects import EFFECTS
from toolkit.policy.layers import REPOSITORY as REPOSITORY_LAYER
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import read_shipped

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


PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/policies.md"])
def test_the_lines_of_python_that_a_page_shows_run(page: str, tmp_path: Path) -> None:
    shown = PYTHON.findall((REPOSITORY / page).read_text("utf-8"))
    assert shown
    for number, code in enumerate(shown):
        script = tmp_path / f"shown{number}.py"
        script.write_text(code, "utf-8")
        completed = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (completed.returncode, completed.stderr) == (0, "")
        promised = re.findall(r"print\(.*\)  # (.+)", code)
        assert promised == [line for line in completed.stdout.splitlines() if line in promised]


@pytest.mark.parametrize("package", ["toolkit", "verify"])
def test_the_types_of_a_package_are_told_to_those_who_import_it(package: str) -> None:
    assert (REPOSITORY / package / "py.typed").is_file()


def test_every_overlay_that_the_page_on_policies_shows_loads() -> None:
    page = (REPOSITORY / "docs/policies.md").read_text("utf-8")
    shown = re.findall(r"```yaml\n(policy: v1\nkind: overlay\n.*?)```", page, re.DOTALL)
    assert len(shown) >= 2
    shipped = read_shipped()
    sources = [Source(name, data, SHIPPED) for name, data in shipped.documents.items()]
    own = [Source(f"shown{number}.yaml", text.encode(), REPOSITORY_LAYER) for number, text in enumerate(shown)]
    loaded = PolicySet.load([*sources, *own], shipped.shapes, templates=shipped.templates, effects=EFFECTS)
    edited = [name for name in loaded.ids if loaded.entry(name).edits]
    assert edited == ["review.risk-signals", "verify.floor"]

"""The reports that the formats are held against, and the golden files that pin them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from toolkit.reporting.report import (
    Grade,
    Item,
    MalformedRecord,
    Progress,
    Report,
    Rule,
    State,
    Step,
    Tool,
    tally,
)

HERE = Path(__file__).parent
SEVERITIES = ("grave", "middling", "slight")
TOOL = Tool("the-tool", "1.2.3", "https://example.org/the-tool")

Golden = Callable[[str, str], None]
Make = Callable[..., Report]
MakeItem = Callable[..., Item]


@pytest.fixture
def golden() -> Golden:
    """Holds a text against the golden file of that name; ``REGENERATE_GOLDEN=1`` writes the file anew."""

    def hold(name: str, text: str) -> None:
        path = HERE / "golden" / name
        if os.environ.get("REGENERATE_GOLDEN") == "1":
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_text(encoding="utf-8")

    return hold


@pytest.fixture(scope="session")
def sarif_schema() -> Draft7Validator:
    """The schema of the standard itself (see schemas/NOTICE.md)."""
    return Draft7Validator(json.loads((HERE / "schemas" / "sarif-2.1.0.json").read_bytes()))


@pytest.fixture(scope="session")
def make_item() -> MakeItem:
    """One finding of the middle severity; every field may be named."""

    def make(**changes: object) -> Item:
        fields: dict[str, object] = {
            "id": "F-floor-1",
            "rule": Rule("cue", "An acceptance criterion names its check."),
            "message": "AC-3 has no check",
            "severity": "middling",
            "rank": 1,
            "origin": "floor",
            "path": "docs/plan.md",
            "line": 12,
        }
        return Item(**{**fields, **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def make_report() -> Make:
    """A report around the findings given; every field may be named."""

    def make(*items: Item, **changes: object) -> Report:
        fields: dict[str, object] = {
            "tool": TOOL,
            "subject": "LEDG-0042",
            "scope": "all",
            "headline": "BLOCKED",
            "reason": tally(items, SEVERITIES),
            "grade": Grade.BLOCKED,
            "severities": SEVERITIES,
            "items": items,
        }
        return Report(**{**fields, **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def rich(make_item: MakeItem, make_report: Make) -> Report:
    """A report in which everything occurs that can occur."""
    items = (
        make_item(
            id="F-floor-2",
            rule=Rule("lint", "Scripts are free of errors.", "https://example.org/lint"),
            message="SC2086: double quote to prevent globbing",
            severity="slight",
            rank=2,
            path="scripts/run me.sh",
            line=7,
            quote="rm $target",
            tags=("safety",),
        ),
        make_item(quote="- **AC-3** Totals add up", fix="add `Verify:` and a command", criteria=("AC-3",)),
        make_item(
            id="F-review-1",
            rule=Rule("review:correctness", "A claim is supported by its evidence."),
            message="the archive names a commit that does not exist",
            severity="grave",
            rank=0,
            origin="review",
            path="docs/archive.md",
            line=3,
            quote="fixed in `abc1234`",
            notes=("quote not found in its source: may be invented",),
            tags=("correctness", "skew"),
            criteria=("AC-1", "AC-2"),
        ),
        make_item(id="F-floor-3", state=State.WAIVED, reason="accepted until 2031 by the owner", line=40),
        make_item(
            id="F-review-2",
            rule=Rule("review:safety"),
            origin="review",
            message="might leak",
            severity="grave",
            rank=0,
            state=State.DISCARDED,
            reason="no evidence",
            path=None,
            line=None,
        ),
    )
    return make_report(
        *items,
        malformed=(MalformedRecord("review", ("severity 'Critical' is no term",), '{"severity": "Critical"}'),),
        checks=(
            Step("cue", "ran", Progress.DONE),
            Step("paths", "ran", Progress.DONE, "every miss lies under code/fw: name it"),
            Step("lint", "could-not-run", Progress.NOT_DONE, "the linter is not installed"),
            Step("drift", "nothing-to-run", Progress.NOTHING_TO_DO, "no commits"),
            Step("plain", "ran", Progress.DONE),
        ),
        layers=(
            Step("floor", "ran", Progress.DONE),
            Step("review", "ran", Progress.DONE),
            Step("dispatch", "not-run", Progress.NOT_DONE, "the runtime crashed"),
        ),
        facts=(("root", "/srv/w"), ("policy digest", "sha256:0a1b"), ("audit log", "qa/verify-LEDG-0042-all-1.md")),
        document={"verdict": "BLOCKED", "schema": "the-tool.verification/v1", "findings": [{"b": "ä", "a": 1}]},
    )


@pytest.fixture(scope="session")
def clean(make_report: Make) -> Report:
    """Nothing to say, and everything was looked at."""
    return make_report(
        headline="PASS",
        grade=Grade.PASSED,
        checks=(Step("cue", "ran", Progress.DONE), Step("lint", "ran", Progress.DONE)),
        layers=(Step("floor", "ran", Progress.DONE),),
        document={"verdict": "PASS"},
    )


@pytest.fixture(scope="session")
def skipped(make_report: Make) -> Report:
    """Nothing was looked at."""
    return make_report(
        headline="SKIPPED",
        reason="a task of the first level is not verified",
        grade=Grade.SKIPPED,
        document={"skipped": {"reason": "a task of the first level is not verified"}, "verdict": None},
    )

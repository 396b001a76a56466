"""A baseline from end to end: only what is new counts, and a file that is no report of the task ends the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests_support import Run

TASK = "LEDG-0042"
PRD = f"datarim/prd/PRD-{TASK}.md"
Example = Callable[[str], Path]


def _verify(run: Run, root: Path, *arguments: str) -> dict[str, Any]:
    result = run("dr-verify", TASK, "--floor-only", "--no-commands", "--no-write", "--json", *arguments, cwd=root)
    document: dict[str, Any] = json.loads(result.stdout)
    assert document.get("exit", result.returncode) == result.returncode
    return document


def _report(run: Run, root: Path, *arguments: str) -> dict[str, Any]:
    """Write ``before.json`` and read it back."""
    run(
        "dr-verify", TASK, "--floor-only", "--no-commands", "--no-write", "--json", "--output", "before.json",
        *arguments, cwd=root,
    )  # fmt: skip
    document: dict[str, Any] = json.loads((root / "before.json").read_text())
    return document


def _break(root: Path, line: str) -> None:
    """Two more lines at the top of the PRD's criteria, so that every line after it moves."""
    text = (root / PRD).read_text()
    at = text.index("- **V-AC-1**")
    (root / PRD).write_text(f"{text[:at]}- {line}\n\n{text[at:]}")


def test_what_the_earlier_report_has_is_known_and_blocks_no_more(run: Run, example: Example) -> None:
    root = example("ledger")
    before = _report(run, root)
    assert (before["verdict"], before["baseline"]) == ("BLOCKED", None)
    after = _verify(run, root, "--baseline", "before.json")
    assert (after["findings"], after["exit"]) == ([], 0)
    assert len(after["baseline"]["known"]) == len(before["findings"])
    assert (after["baseline"]["file"], after["baseline"]["fixed"]) == ("before.json", 0)
    assert after["source_layer_breakdown"] == before["source_layer_breakdown"]


def test_only_the_new_finding_counts_although_all_lines_moved(run: Run, example: Example) -> None:
    root = example("ledger")
    before = _report(run, root)
    _break(root, "**V-AC-9** The ledger is nice.")
    after = _verify(run, root, "--baseline", "before.json")
    new = [
        (one["check_name"], one["ac_criteria"]) for one in after["findings"] if one["check_name"] == "ac_coverage_grep"
    ]
    assert new == [("ac_coverage_grep", ["V-AC-9"])]
    assert len(after["baseline"]["known"]) == len(before["findings"])


def test_a_second_equal_finding_is_new(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    plan = root / f"datarim/plans/{TASK}-plan.md"
    plan.write_text(plan.read_text() + "\n\nChange `src/gone.py` first.\n")
    _report(run, root)
    plan.write_text(plan.read_text() + "\n\nChange `src/gone.py` first.\n")
    after = _verify(run, root, "--baseline", "before.json", "--stage", "plan")
    more = [one for one in after["findings"] if one["evidence"].get("excerpt") == "src/gone.py"]
    assert len(more) <= 1
    assert all(one["evidence"].get("excerpt") != "src/gone.py" for one in after["findings"][1:])


def test_what_was_repaired_is_counted_as_fixed(run: Run, example: Example) -> None:
    root = example("ledger")
    _report(run, root)
    (root / PRD).write_bytes((example("ledger-repaired") / PRD).read_bytes())
    after = _verify(run, root, "--baseline", "before.json")
    assert after["baseline"]["fixed"] > 0
    other = _verify(run, root, "--baseline", "before.json", "--stage", "do")
    assert other["baseline"]["fixed"] < after["baseline"]["fixed"]


def test_what_was_known_stays_known_from_report_to_report(run: Run, example: Example) -> None:
    root = example("ledger")
    first = _report(run, root)
    second = _report(run, root, "--baseline", "before.json")
    assert second["findings"] == []
    third = _verify(run, root, "--baseline", "before.json")
    assert (third["findings"], len(third["baseline"]["known"])) == ([], len(first["findings"]))


def test_a_waiver_ends_with_its_day_in_a_baseline_too(run: Run, example: Example) -> None:
    root = example("ledger")
    waivers = root / ".dr" / "waivers.yaml"
    waivers.parent.mkdir(exist_ok=True)
    waivers.write_text(
        "waivers:\n  - {rule: shellcheck, reason: Vendored from upstream, owner: platform, expires: '2999-12-31'}\n"
    )
    waived = _report(run, root)["waived"]
    assert waived
    waivers.unlink()
    after = _verify(run, root, "--baseline", "before.json")
    assert [one["check_name"] for one in after["findings"]] == ["shellcheck"] * len(waived)


def test_the_log_and_the_text_say_what_is_known(run: Run, example: Example) -> None:
    root = example("ledger")
    count = len(_report(run, root)["findings"])
    result = run("dr-verify", TASK, "--floor-only", "--no-commands", "--baseline", "before.json", cwd=root)
    assert f"{count} known, 0 fixed since the baseline" in result.stdout.splitlines()[0]
    assert "known: it stands in the baseline before.json" in result.stdout
    shown = run("dr-verify", "audit", "show", f"verify-{TASK}-all-1.md", "--json", cwd=root)
    log = json.loads(shown.stdout)["log"]
    assert len(log["known_findings"]) == count
    assert log["valid_findings"] == []
    assert log["baseline"]["file"] == "before.json"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "baseline_unusable"),
        ("---\nverdict: PASS\n", "baseline_unusable"),
        ('{"schema": "dr-verify.error/v1", "error": {}}', "baseline_foreign"),
        ('{"schema": "dr-verify.verification/v1", "task_id": "LEDG-0001"}', "baseline_other_task"),
    ],
)
def test_a_file_that_is_no_report_of_this_task_ends_the_run(run: Run, example: Example, text: str, code: str) -> None:
    root = example("ledger-repaired")
    (root / "before.json").write_text(text)
    document = _verify(run, root, "--baseline", "before.json")
    assert document["error"]["code"] == code
    told = run("dr-verify", TASK, "--floor-only", "--baseline", "none.json", cwd=root)
    assert (told.returncode, told.stdout) == (2, "")
    assert "none.json" in told.stderr
    assert not list((root / "datarim").glob("qa/verify-*"))

"""Waivers from end to end: visible in every format, counted nowhere, and never passed over when they are bad."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repository_support import Repository
from tests_support import Run

TASK = "LEDG-0042"
CHECK = "ac_coverage_grep"
Example = Callable[[str], Path]


def _entry(check: str = CHECK, expires: str = "2999-12-31", more: str = "") -> str:
    reason = "reason: The owner verifies this by hand, owner: platform"
    return f'  - {{rule: "{check}", {reason}, expires: "{expires}"{more}}}\n'


def _waive(root: Path, *entries: str) -> None:
    (root / ".dr").mkdir(exist_ok=True)
    (root / ".dr" / "waivers.yaml").write_text("waivers:\n" + "".join(entries))
    Repository(root).commit("What is waived")  # reviewed: what is not would be a finding of its own


def _verify(run: Run, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run("dr-verify", TASK, "--floor-only", "--no-commands", *arguments, cwd=root)


def _document(run: Run, root: Path, *arguments: str) -> dict[str, Any]:
    result = _verify(run, root, "--json", *arguments)
    document: dict[str, Any] = json.loads(result.stdout)
    assert document["exit"] == result.returncode
    return document


def _all_checks(run: Run, root: Path) -> list[str]:
    """The names of everything that is found and counts."""
    return sorted({finding["check_name"] for finding in _document(run, root, "--no-write")["findings"]})


def test_a_waived_finding_is_shown_apart_and_counted_nowhere(run: Run, example: Example) -> None:
    root = example("ledger")
    before = _document(run, root, "--no-write")
    meant = [finding for finding in before["findings"] if finding["check_name"] == CHECK]
    assert meant
    _waive(root, _entry())
    after = _document(run, root)
    assert {finding["check_name"] for finding in after["waived"]} == {CHECK}
    assert len(after["findings"]) == len(before["findings"]) - len(meant)
    assert after["waived"][0]["waiver"]["place"] == ".dr/waivers.yaml:2"
    assert after["waivers"] == {"applied": len(meant), "expired": [], "file": ".dr/waivers.yaml", "unused": []}
    assert after["source_layer_breakdown"] == before["source_layer_breakdown"]
    log = (root / after["audit_log"]).read_text()
    assert "waived_findings:" in log
    assert "The owner verifies this by hand" in log
    assert run("dr-verify", "audit", "check", cwd=root).returncode == 0


def test_a_verdict_without_what_is_waived(run: Run, example: Example) -> None:
    root = example("ledger")
    assert _document(run, root, "--no-write")["verdict"] == "BLOCKED"
    _waive(root, *map(_entry, _all_checks(run, root)))
    after = _document(run, root, "--no-write", "--fail-on", "low")
    assert (after["exit"], after["findings"], after["decided_by"]["verify.verdict"]) == (0, [], "nothing-above-low")


def test_every_format_says_what_was_waived_and_why(run: Run, example: Example) -> None:
    root = example("ledger")
    _waive(root, _entry())
    count = _document(run, root, "--no-write")["waivers"]["applied"]

    def shown(name: str) -> str:
        return _verify(run, root, "--no-write", "--format", name).stdout

    assert f"{count} waived" in shown("text").splitlines()[0]
    assert f"Waived ({count})" in shown("text")
    assert "<summary>Waived</summary>" in shown("markdown")
    results = json.loads(shown("sarif"))["runs"][0]["results"]
    suppressed = [result for result in results if result.get("suppressions")]
    assert [result["ruleId"] for result in suppressed] == [CHECK] * count
    assert "by hand" in suppressed[0]["suppressions"][0]["justification"]
    for name in ("text", "markdown", "junit"):
        assert "The owner verifies this by hand (platform, until 2999-12-31; .dr/waivers.yaml:2)" in shown(name)


def test_unused_and_expired_waivers_are_warnings(run: Run, example: Example) -> None:
    root = example("ledger")
    _waive(
        root,
        _entry(expires="2020-01-01"),
        _entry("unclosed_fence", more=', path: "nowhere/*.md"'),
        _entry("shellcheck", more=', path: "nowhere/*.md", task: LEDG-0001'),
    )
    document = _document(run, root, "--no-write")
    assert document["waived"] == []
    assert [waiver["place"] for waiver in document["waivers"]["expired"]] == [".dr/waivers.yaml:2"]
    assert [waiver["place"] for waiver in document["waivers"]["unused"]] == [".dr/waivers.yaml:3"]
    told = [warning for warning in document["warnings"] if "waiver" in warning]
    assert [warning.split()[0] for warning in told] == ["unused", "expired"]
    assert "warning: expired waiver .dr/waivers.yaml:2" in _verify(run, root, "--no-write").stdout


def test_a_waiver_for_a_check_of_another_stage_is_not_called_unused(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    _waive(root, _entry(CHECK))
    assert _document(run, root, "--no-write", "--stage", "do")["waivers"]["unused"] == []
    assert len(_document(run, root, "--no-write", "--stage", "prd")["waivers"]["unused"]) == 1


def test_a_waiver_for_a_rule_that_no_check_has_is_unused_at_every_stage(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    _waive(root, _entry("no_such_check"), _entry("command:no_such_command"))
    for stage in ("prd", "do"):
        unused = _document(run, root, "--no-write", "--stage", stage)["waivers"]["unused"]
        assert [waiver["place"] for waiver in unused] == [".dr/waivers.yaml:2", ".dr/waivers.yaml:3"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("waivers: [{rule: shellcheck}]\n", "missing_key"),
        (f"waivers:\n{_entry(more=', pth: x')}", "unknown_key"),
        (f"waivers:\n{_entry('policy_layer')}", "never_waived"),
        ("", "empty"),
        ("waivers: [", "yaml_syntax"),
    ],
)
def test_a_bad_file_stops_the_run_and_names_every_problem(run: Run, example: Example, text: str, code: str) -> None:
    root = example("ledger-repaired")
    (root / ".dr").mkdir(exist_ok=True)
    (root / ".dr" / "waivers.yaml").write_text(text)
    told = _verify(run, root)
    assert (told.returncode, told.stdout) == (2, "")
    assert ".dr/waivers.yaml:" in told.stderr
    result = _verify(run, root, "--json")
    assert result.returncode == 2
    document = json.loads(result.stdout)
    assert document["error"]["code"] == code
    assert all(problem["file"] == ".dr/waivers.yaml" for problem in document["problems"])
    assert not list((root / "datarim").glob("qa/verify-*"))


def test_a_layer_of_the_repository_can_not_make_changed_policies_waivable(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    (root / ".dr" / "policies" / "waivers.yaml").write_text(
        "policy: v1\nkind: overlay\nid: repo.waivers\nversion: 1.0.0\ntitle: none\n"
        'base: {id: verify.waivers, version: ">=1"}\nset: {/never: []}\n'
    )
    result = _verify(run, root, "--json")
    assert result.returncode == 2
    assert "never" in result.stdout


def test_the_floor_command_tells_everything_that_the_floor_found(run: Run, example: Example) -> None:
    root = example("ledger")
    floor = ("dr-verify", "floor", "--task", TASK, "--no-commands")
    before = run(*floor, cwd=root)
    _waive(root, *map(_entry, _all_checks(run, root)))
    after = run(*floor, cwd=root)
    assert (after.returncode, after.stdout) == (before.returncode, before.stdout)
    assert after.returncode == sum(json.loads(line)["severity"] == "high" for line in after.stdout.splitlines()) > 0

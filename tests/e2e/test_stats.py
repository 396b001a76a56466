"""``dr-verify stats`` over workspaces on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests_support import Run

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
Example = Callable[[str], Path]


def write_log(folder: Path, number: int, day: str, *modes: str, cost: str = "100") -> Path:
    """A log in the reference's shape."""
    folder.mkdir(parents=True, exist_ok=True)
    findings = "".join(
        f"  - {{source_layer: peer_review, peer_review_mode: {mode}, artifact_ref: 'a.md:1', ac_criteria: [],"
        " severity: medium, category: correctness}\n"
        for mode in modes
    )
    path = folder / f"verify-STA-0001-do-{number}.md"
    path.write_text(
        f"---\ntask_id: STA-0001\nstage: do\niter: {number}\ncost_consumed_tokens: {cost}\n"
        f"finished_at: {day}T10:00:00Z\nverdict: PASS\nvalid_findings:\n{findings}---\n"
    )
    return path


def write_archive(folder: Path, number: int, day: str, caught: int, wrong: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"archive-STA-{number:04d}.md"
    path.write_text(
        f"---\nid: STA-{number:04d}\ncompleted_date: {day}\nverification_outcome:\n  caught_by_verify: {caught}\n"
        f"  missed_by_verify: 0\n  false_positive: {wrong}\n  n_a: false\n---\n# Archive\n"
    )
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace with ten runs in two months, one of them in a legacy mode, and two archives."""
    logs, archives = tmp_path / "datarim" / "qa", tmp_path / "documentation" / "archive" / "framework"
    for number in range(1, 7):
        modes = ("cross_claude_family",) if number <= 5 else ()
        write_log(logs, number, "2026-05-04", *modes)
    for number in range(7, 10):
        write_log(logs, number, "2026-06-30", "same_model_isolated", cost="null")
    write_log(logs, 10, "2026-06-30", "cross_vendor")
    write_archive(archives, 1, "2026-05-31", 96, 0)
    write_archive(archives, 2, "2026-06-01", 0, 19)
    return tmp_path


def document_of(run: Run, place: Path, *arguments: str, status: int = 0) -> dict[str, Any]:
    result = run("dr-verify", "stats", "--json", *arguments, cwd=place)
    assert result.returncode == status, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    Draft202012Validator(json.loads((SCHEMAS / "dr-verify.stats.v1.json").read_bytes())).validate(document)
    return document


def test_the_figures_of_a_workspace(run: Run, place: Path) -> None:
    document = document_of(run, place)
    expected = {
        "runs": 10,
        "runs_without_mode": 1,
        "cross_claude_family_rate": 1.0,
        "same_model_isolated_rate": None,
        "cross_vendor_rate": None,
        "cost_consumed_tokens": 700,
        "cost_known_runs": 7,
        "archives": 2,
        "caught_by_verify": 96,
        "missed_by_verify": 0,
        "false_positive": 19,
        "false_positive_rate": 0.1652,
        "complete": True,
        "uncounted": [],
    }
    assert {key: document[key] for key in expected} == expected
    assert [(month["month"], month["runs"], month["caught_by_verify"]) for month in document["months"]] == [
        ("2026-05", 6, 96),
        ("2026-06", 4, 0),
    ]
    assert any("same_model_isolated_rate: no rate, too few runs (3" in note for note in document["notes"])
    assert any("may be too high" in note for note in document["notes"])


def test_people_get_the_same_figures_in_words(run: Run, place: Path) -> None:
    text = run("dr-verify", "stats", cwd=place).stdout
    for line in (
        "runs: 10",
        "cross_claude_family_rate: 1.0000 (5 of 5 runs with a finding)",
        "same_model_isolated_rate: no rate, too few runs (3, and 5 are needed)",
        "cost_consumed_tokens: 700 (known of 7 run(s))",
        "false_positive_rate: 0.1652 (19 of 115 caught or false)",
    ):
        assert f"{line}\n" in text
    months = [line.split()[:2] for line in text.splitlines() if line.startswith(("month", "2026"))]
    assert months == [["month", "runs"], ["2026-05", "6"], ["2026-06", "4"]]


@pytest.mark.parametrize(
    ("arguments", "runs", "caught", "wrong"),
    [
        (["--since", "2026-06"], 4, 0, 19),
        (["--until", "2026-05"], 6, 96, 0),
        (["--since", "2026-05-31", "--until", "2026-06-01"], 0, 96, 19),
        (["--since=2030-01"], 0, 0, 0),
    ],
)
def test_a_period_holds_both_of_its_ends(
    arguments: list[str], runs: int, caught: int, wrong: int, run: Run, place: Path
) -> None:
    document = document_of(run, place, *arguments)
    assert (document["runs"], document["caught_by_verify"], document["false_positive"]) == (runs, caught, wrong)


def test_an_empty_workspace_has_no_rates_and_no_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "datarim").mkdir()
    document = document_of(run, tmp_path)
    assert document["runs"] == 0
    assert document["months"] == []
    assert "cross_vendor_rate" not in document
    assert document["false_positive_rate"] is None


def test_folders_may_be_named_outside_of_every_workspace(run: Run, tmp_path: Path) -> None:
    write_log(tmp_path / "logs", 1, "2026-05-04", "cross_claude_family")
    write_archive(tmp_path / "old" / "area", 1, "2026-05-04", 3, 0)
    (tmp_path / "logs").rename(tmp_path / "-logs")
    document = document_of(run, tmp_path, "--verify-dir=-logs", "--archive-root", "old")
    assert (document["runs"], document["caught_by_verify"]) == (1, 3)
    assert document_of(run, tmp_path, "--verify-dir", str(tmp_path / "-logs"))["archives"] == 0


def test_the_root_may_be_named_either_way(run: Run, place: Path) -> None:
    for option in ("--root", "--workspace"):
        assert document_of(run, Path("/"), option, str(place / "datarim"))["runs"] == 10


def test_a_log_of_our_own_is_counted(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    run("dr-verify", "LEDG-0042", "--floor-only", "--no-commands", cwd=root)
    document = document_of(run, root)
    assert (document["runs"], document["runs_without_mode"], document["cost_consumed_tokens"]) == (1, 0, None)


def test_damage_is_named_and_leaves_the_answer_undetermined(run: Run, place: Path, example: Example) -> None:
    torn = place / "datarim" / "qa" / "verify-STA-0001-do-10.md"
    torn.write_text("---\ntask_id: STA-0001\n")
    result = run("dr-verify", "stats", cwd=place)
    assert result.returncode == 3
    assert "runs: 9\n" in result.stdout
    assert torn.name in result.stderr
    document = document_of(run, place, status=3)
    assert document["complete"] is False
    assert [one["path"] for one in document["uncounted"]] == [f"datarim/qa/{torn.name}"]


def test_what_bears_no_date_is_counted_until_a_period_is_asked_for(run: Run, place: Path) -> None:
    path = place / "documentation" / "archive" / "framework" / "archive-STA-0001.md"
    path.write_text(path.read_text().replace("completed_date: 2026-05-31\n", ""))
    document = document_of(run, place)
    assert document["caught_by_verify"] == 96
    assert document["months"][-1]["month"] is None
    assert "undated" in run("dr-verify", "stats", cwd=place).stdout
    document = document_of(run, place, "--since", "2026-01", status=3)
    assert document["caught_by_verify"] == 0
    assert [one["code"] for one in document["uncounted"]] == ["undated"]


def test_every_bad_date_and_figure_is_told_with_file_and_line(run: Run, place: Path) -> None:
    archives = place / "documentation" / "archive" / "framework"
    write_archive(archives, 1, "soon", 1, 0)
    write_archive(archives, 2, "2026-06-01", -4, 0)
    write_log(place / "datarim" / "qa", 3, "2026-02-31")
    result = run("dr-verify", "stats", cwd=place)
    assert (result.returncode, result.stdout) == (2, "")
    for told in (
        "documentation/archive/framework/archive-STA-0001.md:3:",
        "documentation/archive/framework/archive-STA-0002.md:5:",
        "datarim/qa/verify-STA-0001-do-3.md:6:",
    ):
        assert told in result.stderr
    document = json.loads(run("dr-verify", "stats", "--json", cwd=place).stdout)
    assert len(document["problems"]) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["--since", "last week"],
        ["--until", "2026-13"],
        ["--since", "2026-06", "--until", "2026-05"],
        ["--verify-dir", "nowhere"],
        ["extra"],
    ],
)
def test_wrong_usage_exits_2_and_prints_no_figures(arguments: list[str], run: Run, place: Path) -> None:
    result = run("dr-verify", "stats", *arguments, cwd=place)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr


def test_outside_of_a_workspace_there_is_nothing_to_count(run: Run, tmp_path: Path) -> None:
    result = run("dr-verify", "stats", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "workspace_not_found" in result.stderr


def test_archives_that_a_link_leads_out_of_the_workspace_are_not_read(run: Run, place: Path) -> None:
    (place / "documentation" / "archive").rename(place.parent / f"{place.name}-archive")
    (place / "documentation" / "archive").symlink_to(place.parent / f"{place.name}-archive")
    result = run("dr-verify", "stats", cwd=place)
    assert (result.returncode, result.stdout) == (2, "")
    assert "path_outside_workspace" in result.stderr


def test_a_log_of_another_tool_needs_no_more_than_a_header(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "datarim" / "qa"
    logs.mkdir(parents=True)
    header = "---\ntask_id: OLD-0001\nfinished_at: 2026-03-04\npeer_review_mode: cross_vendor\nvalid_findings:\n---\n"
    (logs / "verify-OLD-0001-do-1.md").write_text(header)
    (logs / "verify-OLD-0001-do-2.md").write_text("# Notes\n\nNothing was found.\n")
    document = document_of(run, tmp_path, status=3)
    assert document["peer_review"]["cross_vendor"] == {"found": 0, "runs": 1}
    assert [one["code"] for one in document["uncounted"]] == ["log_unreadable"]


def test_no_name_or_value_of_a_file_reaches_the_terminal_raw(run: Run, place: Path) -> None:
    archives = place / "documentation" / "archive" / "evil\x1b[2J"
    write_archive(archives, 9, '"\\e[31mred"', 1, 0)
    result = run("dr-verify", "stats", cwd=place)
    assert result.returncode == 2
    assert "\x1b" not in result.stdout + result.stderr


def test_archives_are_counted_where_the_policies_say_that_they_stand(run: Run, tmp_path: Path) -> None:
    (tmp_path / "datarim").mkdir()
    (tmp_path / "attic/2026").mkdir(parents=True)
    (tmp_path / "attic/2026/done-ABCD-0001.md").write_text(
        "---\ncompleted_date: 2026-05-04\nverification_outcome:\n  caught_by_verify: 3\n---\n# Done\n"
    )
    layer = tmp_path / ".dr/policies"
    layer.mkdir(parents=True)
    (layer / "places.yaml").write_text(
        "policy: v1\nkind: overlay\nid: repo.places\nversion: 1.0.0\ntitle: Our archives stand elsewhere\n"
        'base: {id: verify.artifacts, version: ">=1.0,<2"}\n'
        'set:\n  /documents/8/path: "attic/*/done-{id}.md"\n'
    )
    result = run("dr-verify", "stats", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["caught_by_verify"] == 3

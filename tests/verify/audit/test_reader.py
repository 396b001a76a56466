"""Reading logs back: all of ours, those of the reference's shape, and nothing that only looks like one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolkit.errors import StorageError
from toolkit.policy.sets import PolicySet
from verify.audit.reader import list_logs, log_names, read_log
from verify.audit.record import AuditRecord
from verify.audit.writer import write_log
from verify.merging import key_of
from verify.task import Workspace

Make = Callable[..., AuditRecord]
REFERENCE = """---
task_id: TUNE-0100
stage: all
iter: 2
runtime: claude
started_at: 2026-05-04T12:30:15Z
verdict: BLOCKED
source_layer_breakdown: {floor: 0, peer_review: 0, dispatch: 2}
valid_findings:
  - finding_id: F-2-1
    artifact_ref: ./plans/a.md:3
    ac_criteria: [AC-1]
    severity: high
    category: safety
    evidence: {type: file_quote, source: "plans/a.md:3", excerpt: x}
    discarded: false
    evidence_verified: unchecked
  - finding_id: F-2-2
    source_layer: peer_review
    artifact_ref: plans/a.md:4
    ac_criteria: []
    severity: low
    category: safety
    discarded: true
malformed: []
---
# Findings
"""


def refused(path: Path, policies: PolicySet) -> StorageError:
    with pytest.raises(StorageError) as caught:
        read_log(path, policies)
    assert caught.value.place == str(path)
    return caught.value


def test_what_was_written_is_what_is_read(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    record = make_record()
    log = read_log(write_log(record, workspace, policies).path, policies)
    assert log.sealed
    assert (log.task_id, log.stage, log.iter, log.verdict) == ("TST-0001", "do", 1, "CONDITIONAL")
    assert log.layers_run == {"floor", "dispatch"}
    assert log.artifacts == record.artifacts
    floor, merged, absent = log.findings
    assert floor.key == key_of("datarim/plans/TST-0001-plan.md:12", [], "completeness")
    assert (floor.layers, floor.severity, floor.discarded) == ({"floor"}, "low", False)
    assert merged.layers == {"peer_review", "dispatch"}
    assert absent.discarded
    header: Any = log.header
    assert "origins" not in header["valid_findings"][0]
    assert [origin["finding_id"] for origin in header["valid_findings"][1]["origins"]] == [
        "F-peer_review-1",
        "F-dispatch-1",
    ]
    assert header["raw_outputs"][0]["text"] == "token=<redacted>\n---\n# not a heading\n"
    assert list(header)[:11] == [
        *("schema", "task_id", "stage", "iter", "runtime", "max_iter", "cost_consumed_tokens"),
        *("started_at", "finished_at", "verdict", "verified"),
    ]


def test_a_skipped_run_has_no_verdict(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    record = make_record(verdict=None, exit_reason=None, findings=(), cost_consumed_tokens=None)
    log = read_log(write_log(record, workspace, policies).path, policies)
    assert log.verdict is None
    assert log.header["cost_consumed_tokens"] is None


def test_a_log_that_was_cut_short_anywhere_is_never_read(
    workspace: Workspace, policies: PolicySet, make_record: Make, tmp_path: Path
) -> None:
    whole = write_log(make_record(), workspace, policies).path.read_bytes()
    path = tmp_path / "cut.md"
    for size in {*range(40), *range(40, len(whole), 97), *range(len(whole) - 130, len(whole))}:
        path.write_bytes(whole[:size])
        assert refused(path, policies).code == "log_incomplete", size


def test_a_log_that_was_changed_anywhere_is_never_read(
    workspace: Workspace, policies: PolicySet, make_record: Make, tmp_path: Path
) -> None:
    whole = write_log(make_record(), workspace, policies).path.read_bytes()
    path = tmp_path / "changed.md"
    for at in range(0, len(whole) - 1, 61):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert refused(path, policies).code in {"log_digest_differs", "log_incomplete", "log_unreadable"}, at
    path.write_bytes(whole.replace(b"verdict: CONDITIONAL", b"verdict: PASS"))
    assert refused(path, policies).code == "log_digest_differs"
    path.write_bytes(whole + b"\n")
    assert refused(path, policies).code == "log_incomplete"


def test_a_log_of_the_references_shape_reads_without_a_seal(tmp_path: Path, policies: PolicySet) -> None:
    path = tmp_path / "verify-TUNE-0100-all-2.md"
    path.write_text(REFERENCE, encoding="utf-8")
    log = read_log(path, policies)
    assert (log.task_id, log.stage, log.iter, log.verdict, log.sealed) == ("TUNE-0100", "all", 2, "BLOCKED", False)
    assert log.header["started_at"] == "2026-05-04T12:30:15Z"
    first, second = log.findings
    assert (first.source_layer, first.key) == ("dispatch", key_of("plans/a.md:3", ["AC-1"], "safety"))
    assert (second.source_layer, second.discarded) == ("peer_review", True)
    assert log.artifacts == {}


def test_a_log_that_is_yaml_as_a_whole_reads_too(tmp_path: Path, policies: PolicySet) -> None:
    path = tmp_path / "verify-TUNE-0100-all-2.md"
    path.write_text(REFERENCE.split("---\n")[1], encoding="utf-8")
    assert read_log(path, policies).iter == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("task_id: TUNE-0100\n", ""),
        ("iter: 2", "iter: two"),
        ("iter: 2", "iter: true"),
        ("verdict: BLOCKED", "verdict: [BLOCKED]"),
        ("severity: high", "severity: 3"),
        ("ac_criteria: [AC-1]", "ac_criteria: AC-1"),
        ("artifact_ref: ./plans/a.md:3", "artifact_ref:"),
        ("discarded: false", "discarded: no"),
        ("malformed: []\n", "layers: [floor]\n"),
        ("malformed: []\n", "artifacts: [x]\n"),
        ("malformed: []\n", "malformed: []\nmalformed: []\n"),
        ("runtime: claude", "runtime: &x claude"),
    ],
)
def test_a_field_of_the_wrong_type_is_no_guess(tmp_path: Path, policies: PolicySet, old: str, new: str) -> None:
    path = tmp_path / "log.md"
    assert old in REFERENCE
    path.write_text(REFERENCE.replace(old, new), encoding="utf-8")
    assert refused(path, policies).code == "log_unreadable"


def test_bytes_that_are_no_text_are_no_log(tmp_path: Path, policies: PolicySet) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"\xff\xfe\x00")
    assert refused(path, policies).code == "log_unreadable"


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path, policies: PolicySet) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    assert refused(tmp_path / "pipe", policies).code == "not_regular"
    assert refused(tmp_path / "link", policies).code == "is_symlink"
    assert refused(tmp_path / "none", policies).code == "not_found"


def test_a_log_over_the_limit_is_not_read(tmp_path: Path, policies: PolicySet) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(policies.data("verify.limits")["log_max_bytes"] + 1)
    assert refused(path, policies).code == "too_large"


def test_logs_are_listed_by_task_stage_and_number(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    for _ in range(11):
        write_log(make_record(), workspace, policies)
    write_log(make_record(stage="all"), workspace, policies)
    write_log(make_record(task_id="ABC-0001"), workspace, policies)
    listed = [(log.task_id, log.stage, log.iter) for log in list_logs(workspace, policies)]
    assert listed == [
        ("ABC-0001", "do", 1),
        ("TST-0001", "all", 1),
        *(("TST-0001", "do", number) for number in range(1, 12)),
    ]
    some = list_logs(workspace, policies, "TST-0001", "all")
    assert [(log.task_id, log.stage, log.iter, log.verdict, log.problem) for log in some] == [
        ("TST-0001", "all", 1, "CONDITIONAL", None)
    ]
    assert some[0].finished_at == "2026-05-04T12:31:00Z"
    assert [name.iter for name in log_names(workspace, "TST-0001", "do")] == list(range(1, 12))


def test_a_log_that_can_not_be_read_is_listed_with_its_problem(workspace: Workspace, policies: PolicySet) -> None:
    folder = workspace.datarim / "qa"
    folder.mkdir()
    (folder / "verify-TST-0001-do-1.md").write_text("---\n", encoding="utf-8")
    (folder / "verify-TST-0001-do-2.md").mkdir()
    for other in (
        "verify-TST-0001-do-01.md",
        "verify-TST-0001-do-0.md",
        "qa-report-TST-0001.md",
        ".publish-1.tmp",
        "verify-x",
    ):
        (folder / other).write_text("", encoding="utf-8")
    assert [(log.iter, log.verdict, log.problem) for log in list_logs(workspace, policies)] == [
        (1, None, "log_incomplete"),
        (2, None, "not_regular"),
    ]


def test_where_there_is_no_folder_there_are_no_logs(workspace: Workspace, policies: PolicySet) -> None:
    assert list_logs(workspace, policies) == ()


@pytest.mark.parametrize("forged", ["schema:  ", "\ufeff", "no schema"])
def test_one_of_our_logs_that_lost_its_seal_is_incomplete_however_its_header_is_spelt(
    forged: str, workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    path = write_log(make_record(verdict="BLOCKED"), workspace, policies).path
    text = path.read_text().rsplit("\n", 2)[0] + "\n"
    changed = {
        "schema:  ": text.replace("schema: ", "schema:  ", 1),
        "\ufeff": "\ufeff" + text,
        "no schema": text.replace("schema: dr-verify.log/v1\n", "", 1),
    }[forged].replace("verdict: BLOCKED", "verdict: PASS", 1)
    path.chmod(0o644)
    path.write_text(changed)
    with pytest.raises(StorageError) as caught:
        read_log(path, policies)
    assert caught.value.code == "log_incomplete"

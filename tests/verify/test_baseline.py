"""Baselines: what an earlier report says is known, nothing else is, and no other document is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import ToolkitError
from toolkit.policy.sets import PolicySet
from toolkit.reporting.json_output import dumps
from verify.baseline import REPORT_SCHEMA, Baseline, count_fixed, identity_of, read_baseline, split_known
from verify.findings import Admitted, Evidence, Finding

TASK = "ABCD-0001"
Write = Callable[..., Path]
SEVERITIES = ("high", "medium", "low")


def admitted(check: str | None = "shellcheck", discarded: bool = False, **changes: Any) -> Admitted:
    plain = Finding(
        "floor", "scripts/run.sh:3", "medium", "safety", Evidence("file_quote", "scripts/run.sh:3", "for x in `ls`"),
        ("AC-1",), "F-floor-1", check_name=check,
    )  # fmt: skip
    reason = "no_evidence_provided" if discarded else None
    return Admitted(replace(plain, **changes), discarded, reason, "true", None, "2026-05-04T12:30:16Z")


def report(reported: list[Admitted], known: list[Admitted] | None = None, **changes: object) -> dict[str, object]:
    earlier = None if known is None else {"known": [one.to_json() for one in known]}
    document = {"schema": REPORT_SCHEMA, "task_id": TASK, "findings": [one.to_json() for one in reported]}
    return {**document, "baseline": earlier, **changes}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(reported: list[Admitted], **changes: Any) -> Path:
        path = tmp_path / "before.json"
        path.write_text(dumps(report(reported, **changes)))
        return path

    return to_file


@pytest.fixture
def baseline(write: Write, tmp_path: Path, policies: PolicySet) -> Callable[..., Baseline]:
    return lambda *findings, **more: read_baseline(write(list(findings), **more), TASK, tmp_path, policies)


def counting(baseline: Baseline, policies: PolicySet, *findings: Admitted) -> list[int]:
    """The places, in the list, of the findings that are new."""
    new, known = split_known(findings, baseline, policies)
    assert len(new) + len(known) == len(findings)
    return [index for index, one in enumerate(findings) if any(one is other for other in new)]


def test_the_same_rule_path_and_text_is_known_wherever_its_line_is(
    baseline: Callable[..., Baseline], policies: PolicySet
) -> None:
    before = baseline(admitted())
    moved = admitted(artifact_ref="./scripts/run.sh:99", finding_id="F-floor-7", ac_criteria=())
    assert counting(before, policies, moved) == []
    for other in (
        admitted("other"),
        admitted(artifact_ref="scripts/walk.sh:3"),
        admitted(evidence=Evidence("file_quote", "scripts/run.sh:3", "for y in `ls`")),
    ):
        assert counting(before, policies, other) == [0]


def test_a_second_finding_of_the_same_kind_is_new(baseline: Callable[..., Baseline], policies: PolicySet) -> None:
    assert counting(baseline(admitted()), policies, admitted(), admitted()) == [1]
    assert counting(baseline(admitted(), admitted()), policies, admitted(), admitted()) == []


def test_what_has_become_graver_is_new_and_what_has_become_milder_is_known(
    baseline: Callable[..., Baseline], policies: PolicySet
) -> None:
    before = baseline(admitted(severity="medium"))
    assert counting(before, policies, admitted(severity="high")) == [0]
    assert counting(before, policies, admitted(severity="low")) == []
    assert counting(before, policies, admitted(severity="low"), admitted(severity="high")) == [1]
    both = baseline(admitted(severity="low"), admitted(severity="high"))
    assert counting(both, policies, admitted(severity="medium"), admitted(severity="low")) == []


@given(
    was=st.lists(st.sampled_from(SEVERITIES), max_size=5),
    now=st.lists(st.sampled_from(SEVERITIES), max_size=5),
)
def test_as_few_are_new_as_there_can_be(policies: PolicySet, was: list[str], now: list[str]) -> None:
    ordered = tuple(sorted(was, key=SEVERITIES.index))
    before = Baseline("before.json", "sha256:0", {identity_of(admitted().finding): ordered} if was else {})
    new = counting(before, policies, *(admitted(severity=severity) for severity in now))
    # Hall: every set of findings at or above a severity needs as many partners that were at least as grave.
    least = max(sum(s in SEVERITIES[:k] for s in now) - sum(s in SEVERITIES[:k] for s in was) for k in range(4))
    assert len(new) == max(0, least)


def test_a_reviewers_finding_is_known_by_its_layer_and_category(
    baseline: Callable[..., Baseline], policies: PolicySet
) -> None:
    before = baseline(admitted(None, source_layer="dispatch"))
    assert counting(before, policies, admitted(None, source_layer="dispatch")) == []
    assert counting(before, policies, admitted(None, source_layer="peer_review")) == [0]
    assert counting(before, policies, admitted(None, source_layer="dispatch", category="correctness")) == [0]


def test_what_was_known_stays_known_and_what_was_waived_or_discarded_does_not(
    baseline: Callable[..., Baseline], policies: PolicySet
) -> None:
    assert counting(baseline(known=[admitted()]), policies, admitted()) == []
    waived = [{**admitted().to_json(), "waiver": {}}]
    assert counting(baseline(waived=waived), policies, admitted()) == [0]
    assert counting(baseline(admitted(discarded=True)), policies, admitted()) == [0]


def test_a_discarded_finding_is_not_known_besides(baseline: Callable[..., Baseline], policies: PolicySet) -> None:
    assert counting(baseline(admitted()), policies, admitted(discarded=True), admitted()) == [0]


def test_a_text_that_json_can_not_say_is_known_again(baseline: Callable[..., Baseline], policies: PolicySet) -> None:
    odd = admitted(artifact_ref="scripts/\udcff.sh:1", evidence=Evidence("file_quote", "x", "caf\udce9 \x1b[1m"))
    assert counting(baseline(odd), policies, odd) == []


def test_fixed_is_what_is_gone_of_what_was_looked_for(baseline: Callable[..., Baseline]) -> None:
    before = baseline(admitted(), admitted(), admitted("other"), admitted("later"))
    assert count_fixed(before, [], {"shellcheck", "other"}) == 3
    assert count_fixed(before, [admitted(severity="high")], {"shellcheck"}) == 1
    assert count_fixed(before, [admitted(discarded=True)], {"shellcheck"}) == 2
    assert count_fixed(before, [admitted()] * 5, {"shellcheck"}) == 0


def refused(path: Path, policies: PolicySet) -> str:
    with pytest.raises(ToolkitError) as caught:
        read_baseline(path, TASK, path.parent, policies)
    assert caught.value.exit_status == 2
    assert caught.value.place == path.name
    assert path.name in caught.value.message
    assert caught.value.next_step
    return caught.value.code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"schema": "dr-verify.error/v1"}, "baseline_foreign"),
        ({"schema": None}, "baseline_foreign"),
        ({"task_id": "ABCD-00010"}, "baseline_other_task"),
        ({"task_id": ["ABCD-0001"]}, "baseline_other_task"),
        ({"findings": None}, "baseline_unusable"),
        ({"findings": {}}, "baseline_unusable"),
        ({"findings": [1]}, "baseline_unusable"),
        ({"baseline": []}, "baseline_unusable"),
        ({"baseline": {"known": 1}}, "baseline_unusable"),
    ],
)
def test_a_document_that_is_no_report_of_this_task_is_refused(
    write: Write, policies: PolicySet, changes: dict[str, Any], code: str
) -> None:
    assert refused(write([admitted()], **changes), policies) == code


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "HIGH"},
        {"severity": None},
        {"artifact_ref": 3},
        {"evidence": "for x"},
        {"evidence": {"type": "file_quote", "excerpt": 1}},
        {"check_name": None},
    ],
)
def test_a_finding_that_was_changed_is_not_guessed(tmp_path: Path, policies: PolicySet, change: dict[str, Any]) -> None:
    path = tmp_path / "before.json"
    path.write_text(json.dumps({**report([]), "findings": [{**admitted().to_json(), **change}]}))
    assert refused(path, policies) == "baseline_unusable"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe{}",
        b'{"schema": NaN}',
        b'{"schema": "dr-verify.verification/v1", "schema": "dr-verify.verification/v1"}',
        b"[" * 200_000,
        b"1" * 10_000,
        b"---\nschema: dr-verify.log/v1\n---\n",
    ],
)
def test_bytes_that_are_no_report_are_refused(tmp_path: Path, policies: PolicySet, data: bytes) -> None:
    path = tmp_path / "before.json"
    path.write_bytes(data)
    assert refused(path, policies) == "baseline_unusable"


def test_what_is_no_file_within_bounds_is_refused(tmp_path: Path, policies: PolicySet) -> None:
    (tmp_path / "folder").mkdir()
    with (tmp_path / "large").open("wb") as file:
        file.truncate(policies.data("verify.limits")["baseline_max_bytes"] + 1)
    for name in ("none", "folder", "large"):
        assert refused(tmp_path / name, policies) == "baseline_unusable"


def test_a_byte_order_mark_and_a_link_are_no_obstacle(write: Write, tmp_path: Path, policies: PolicySet) -> None:
    path = write([admitted()])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    (tmp_path / "link.json").symlink_to("before.json")
    before = read_baseline(tmp_path / "link.json", TASK, tmp_path / "elsewhere", policies)
    assert list(before.severities) == [identity_of(admitted().finding)]
    assert before.file == str(tmp_path / "link.json")

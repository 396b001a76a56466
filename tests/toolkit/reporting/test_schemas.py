"""The published schemas describe what the commands really print, and no more than that."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator, ValidationError

from toolkit.policy.sets import PolicySet

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
VERIFICATION = "dr-verify.verification.v1"

Run = Callable[..., bytes]


def schema_of(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.json").read_bytes())


def held(name: str, printed: bytes) -> Any:
    """The one document that was printed, held against the schema of that name."""
    document = json.loads(printed)
    Draft202012Validator(schema_of(name)).validate(document)
    return document


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Run:
    """Runs a command in a directory of its own and gives what it printed."""

    def command(group: click.Group, *arguments: str) -> bytes:
        with suppress(SystemExit):
            group.main([*arguments, "--cwd", str(tmp_path)], standalone_mode=False)
        return capsysbinary.readouterr().out

    return command


@pytest.fixture
def policy(run: Run) -> Run:
    from toolkit.commands.main import dr_policy

    return lambda *arguments: run(dr_policy, *arguments)


@pytest.fixture
def verifier(run: Run, tmp_path: Path) -> Run:
    """Runs dr-verify over a workspace in which the floor has something to say."""
    from verify.commands.main import dr_verify

    for folder in ("prd", "plans", "tasks", "qa"):
        (tmp_path / "datarim" / folder).mkdir(parents=True)
    prd = "---\ncomplexity: L3\n---\n\n## Acceptance criteria\n\n- **AC-1** Totals add up\n- **AC-2** No loss\n"
    (tmp_path / "datarim/prd/PRD-LEDG-0042.md").write_text(prd)
    (tmp_path / "datarim/plans/LEDG-0042-plan.md").write_text("# Plan\n\n## Steps\n\n1. Change `src/nowhere.py`\n")
    return lambda *arguments: run(dr_verify, *arguments)


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_each_schema_is_valid_and_is_named_as_the_documents_name_it(path: Path) -> None:
    schema = json.loads(path.read_bytes())

    Draft202012Validator.check_schema(schema)
    assert schema["title"] == path.name.removesuffix(".json").replace(".v1", "/v1")
    named = schema["properties"].get("schema", {"const": schema["title"]})
    assert named == {"const": schema["title"]}


def test_a_list_of_policies(policy: Run) -> None:
    assert held("dr-policy.list.v1", policy("list", "--json"))["documents"]


@pytest.mark.parametrize("document", ["verify.severity", "verify.verdict", "verify.limits"])
def test_a_policy_of_each_kind(document: str, policy: Run) -> None:
    assert held("dr-policy.show.v1", policy("show", document, "--json"))["id"] == document


def test_a_check_of_policies_that_load_and_of_one_that_does_not(policy: Run, tmp_path: Path) -> None:
    assert held("dr-policy.check.v1", policy("check", "--json"))["ok"]
    (tmp_path / ".dr" / "policies").mkdir(parents=True)
    (tmp_path / ".dr" / "policies" / "bad.yaml").write_text("policy: v1\nkind: table\nkind: data\n")

    assert not held("dr-policy.check.v1", policy("check", "--json"))["ok"]


def test_the_origin_of_a_policy(policy: Run) -> None:
    document = held("dr-policy.show.v1", policy("show", "verify.severity", "--origin", "--json"))

    assert [one["part"] for one in document["origins"]] == ["", "term high", "term medium", "term low"]


def test_a_lock_and_a_check_of_it(policy: Run) -> None:
    assert held("dr-policy.lock.v1", policy("lock", "--json"))["written"]
    assert held("dr-policy.check.v1", policy("check", "--locked", "--json"))["locked"]


def test_a_digest_and_all_of_them(policy: Run) -> None:
    one = held("dr-policy.hash.v1", policy("hash", "review", "--json"))
    every = held("dr-policy.hash.v1", policy("hash", "--json"))

    assert {**one, "schema": None} in [{**entry, "schema": None} for entry in every["entries"]]


DECISIONS = [
    ("verify.verdict", {"high": 0, "medium": 1, "low": 0, "persistent": False, "boundary_unreviewed": False}),
    ("review.budget", {"changed_lines": 3}),
]


@pytest.mark.parametrize(("table", "facts"), DECISIONS)
@pytest.mark.parametrize("explain", [(), ("--explain",)])
def test_a_decision(table: str, facts: dict[str, Any], explain: tuple[str, ...], policy: Run) -> None:
    document = held("dr-policy.eval.v1", policy("eval", table, "--facts", json.dumps(facts), "--json", *explain))

    assert (document["trace"] is not None) == bool(explain)


@pytest.mark.parametrize(("table", "facts"), DECISIONS)
def test_an_explanation(table: str, facts: dict[str, Any], policy: Run) -> None:
    document = held("dr-policy.explain.v1", policy("explain", table, "--facts", json.dumps(facts), "--json"))

    assert document["explanations"][0]["decisions"]


def test_a_failure(policy: Run) -> None:
    assert held("dr-policy.error.v1", policy("show", "no.such.policy", "--json"))["error"]["next"]


def test_a_failed_verification(verifier: Run) -> None:
    assert held("dr-verify.error.v1", verifier("task", "NONE-1", "--json"))["error"]["next"]


def test_the_lines_of_the_floor(verifier: Run) -> None:
    lines = verifier("floor", "--task", "LEDG-0042").splitlines()

    assert lines
    for line in lines:
        assert held("dr-verify.finding.v1", line)["severity"]


def test_a_verification_and_its_logs(verifier: Run) -> None:
    document = held(VERIFICATION, verifier("LEDG-0042", "--floor-only", "--json"))

    assert document["findings"]
    assert len(held("dr-verify.audit.v1", verifier("audit", "list", "--json"))["logs"]) == 1
    log = document["audit_log"].rpartition("/")[2]
    assert held("dr-verify.audit-log.v1", verifier("audit", "show", log, "--json"))["sealed"]
    assert held("dr-verify.audit-check.v1", verifier("audit", "check", "--json"))["ok"]


def test_a_skipped_task(verifier: Run, tmp_path: Path) -> None:
    (tmp_path / "datarim/prd/PRD-LEDG-0042.md").write_text("---\ncomplexity: L1\n---\n\n# Small\n")

    document = held(VERIFICATION, verifier("LEDG-0042", "--floor-only", "--json"))

    assert document["verdict"] is None


@pytest.fixture
def example() -> dict[str, Any]:
    """A verification in which every kind of record occurs."""
    evidence = {"type": "file_quote", "source": "datarim/prd/PRD-LEDG-0042.md:9", "excerpt": "- **AC-1** Totals add up"}
    finding = {
        "finding_id": "F-floor-1",
        "source_layer": "floor",
        "artifact_ref": "datarim/prd/PRD-LEDG-0042.md:9",
        "ac_criteria": ["AC-1"],
        "severity": "medium",
        "category": "completeness",
        "evidence": evidence,
        "discarded": False,
        "evidence_verified": "true",
        "verified_at": "2026-01-02T03:04:05Z",
    }
    claimed = {
        **finding,
        "finding_id": "F-dispatch-1",
        "source_layer": "dispatch",
        "category": "consistency",
        "drift_subtype": "spec_decay",
        "evidence": {"type": "absent"},
        "discarded": True,
        "discard_reason": "no_evidence_provided",
        "evidence_verified": "unchecked",
    }
    broken = {
        "source_layer": "dispatch",
        "record": {"severity": "HIGH"},
        "problems": ["severity: 'HIGH' is no severity"],
        "discarded": True,
        "discard_reason": "malformed_evidence",
    }
    return {
        "schema": "dr-verify.verification/v1",
        "task_id": "LEDG-0042",
        "stage": "all",
        "iter": 1,
        "verdict": "CONDITIONAL",
        "verified": False,
        "exit": 0,
        "skipped": None,
        "commits": ["0" * 40],
        "source_layer_breakdown": {"floor": 1, "peer_review": 0, "dispatch": 1},
        "findings": [{**finding, "origins": [finding]}, claimed],
        "malformed": [broken],
        "waived": [],
        "checks": [{"check_name": "cue", "status": "ran", "detail": ""}],
        "layers": [{"layer": "floor", "status": "ran", "reason": ""}],
        "exit_reason": None,
        "policy_digest": "sha256:" + "a" * 64,
        "audit_log": None,
        "warnings": [],
        "roots": ["."],
        "run_id": "r-1",
        "tool_version": "1.0.0",
        "complexity": "L3",
    }


def test_an_example_of_a_verification_fits_and_may_have_keys_of_its_own(example: dict[str, Any]) -> None:
    Draft202012Validator(schema_of(VERIFICATION)).validate({**example, "another": {"key": 1}})


@pytest.mark.parametrize("key", schema_of(VERIFICATION)["required"])
def test_a_verification_without_one_of_its_keys_does_not_fit(key: str, example: dict[str, Any]) -> None:
    del example[key]

    with pytest.raises(ValidationError):
        Draft202012Validator(schema_of(VERIFICATION)).validate(example)


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (("verdict",), "PASSED"),
        (("verdict",), None),
        (("skipped",), {"reason": "a small task"}),
        (("exit",), 2),
        (("checks", 0, "status"), "passed"),
        (("findings", 0, "severity"), "HIGH"),
        (("findings", 0, "drift_subtype"), "spec_decay"),
        (("findings", 0, "evidence", "excerpt"), "x" * 201),
        (("findings", 0, "suggested_fix"), "x" * 501),
        (("findings", 0, "discard_reason"), "parse_error"),
        (("findings", 0, "origins", 0, "verified_at"), "yesterday"),
        (("findings", 1, "evidence", "excerpt"), "text"),
        (("malformed", 0, "discarded"), False),
        (("policy_digest",), "sha256:abc"),
    ],
)
def test_a_value_that_breaks_the_contract_does_not_fit(
    at: tuple[str | int, ...], value: object, example: dict[str, Any]
) -> None:
    *way, last = at
    holder: Any = example
    for step in way:
        holder = holder[step]
    holder[last] = value

    with pytest.raises(ValidationError):
        Draft202012Validator(schema_of(VERIFICATION)).validate(example)


VOCABULARIES = {
    ("properties", "stage"): "verify.stage",
    ("properties", "verdict"): "verify.verdicts",
    ("properties", "complexity"): "verify.complexity",
    ("properties", "exit_reason"): "verify.exit-reason",
    ("properties", "checks", "items", "properties", "status"): "verify.check-status",
    ("properties", "layers", "items", "properties", "status"): "verify.layer-status",
    ("properties", "layers", "items", "properties", "layer"): "verify.layers",
    ("$defs", "severity"): "verify.severity",
    ("$defs", "category"): "verify.category",
    ("$defs", "drift"): "verify.drift",
    ("$defs", "discard_reason"): "verify.discard-reason",
    ("$defs", "evidence", "properties", "type"): "verify.evidence-type",
    ("$defs", "finding", "properties", "agent_origin"): "verify.agent-origin",
    ("$defs", "finding", "properties", "evidence_verified"): "verify.evidence-verified",
}


@pytest.mark.parametrize(("way", "vocabulary"), VOCABULARIES.items(), ids=VOCABULARIES.values())
def test_the_words_of_the_schema_are_those_of_the_policies(
    way: tuple[str, ...], vocabulary: str, policies: PolicySet
) -> None:
    node = schema_of(VERIFICATION)
    for step in way:
        node = node[step]

    assert {word for word in node["enum"] if word is not None} == set(policies.vocabulary(vocabulary).terms)


def test_a_line_of_the_floor_and_a_finding_of_a_verification_agree() -> None:
    line, whole = schema_of("dr-verify.finding.v1"), schema_of(VERIFICATION)
    finding = whole["$defs"]["finding"]

    narrower = {"finding_id", "source_layer", "evidence", "agent_origin"}
    for key in line["properties"].keys() - narrower:
        assert line["properties"][key] == finding["properties"][key]
    for key in line["$defs"]:
        assert line["$defs"][key] == whole["$defs"][key]

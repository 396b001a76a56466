"""What a run asks the tables: each question once, and only what can be told to everybody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from policy_support import load, table

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table
from toolkit.policy.types import TermType
from verify import pipeline
from verify.audit.reader import read_log
from verify.commands.options import Silent
from verify.decisions import Decided, Questions, is_closed
from verify.findings import Evidence, Finding
from verify.layers import LayerResult
from verify.recording import record_of
from verify.terms import DISPATCH, RAN, TEST_OUTPUT
from verify.verification import Request

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECORDED = {
    "verify.skip",
    "verify.reach",
    "verify.verdict",
    "verify.outcome",
    "verify.exit-code",
    "verify.exit",
    "verify.persistence",
    "verify.disposition",
    "verify.shellcheck-severity",
    "verify.spec-severity",
}


@pytest.fixture
def request_for(tmp_path: Path) -> Request:
    root = tmp_path / "ledger"
    shutil.copytree(EXAMPLES / "ledger", root, ignore=shutil.ignore_patterns("verify-*.md"))
    return Request("LEDG-0042", "all", root, floor_only=True, run_commands=False)


def test_a_question_is_asked_once_and_counted(policies: PolicySet, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    real = Table.decide

    def counting(self: Table, facts: Any = None, /, **named: object) -> Any:
        asked.append(facts)
        return real(self, facts, **named)

    monkeypatch.setattr(Table, "decide", counting)
    questions = Questions(policies)
    for code in (2086, 1071, 2086, 2086):
        assert questions.ask("verify.shellcheck-severity", level="error", code=code).row
    assert len(asked) == 2
    assert questions.decided() == (
        Decided("verify.shellcheck-severity", {"level": "error", "code": 2086}, {"severity": "high"}, "error", 3),
        Decided(
            "verify.shellcheck-severity", {"level": "error", "code": 1071}, {"severity": "medium"}, "not-judged-well"
        ),
    )
    assert [one.to_json().get("times") for one in questions.decided()] == [3, None]


def test_a_truth_is_no_number_however_often_the_number_was_asked(policies: PolicySet) -> None:
    questions = Questions(policies)
    facts = {"floor_only": False, "reachable": False}
    questions.ask("verify.reach", **facts, grave=1)
    with pytest.raises(PolicyError) as caught:
        questions.ask("verify.reach", **facts, grave=True)
    assert caught.value.code == "fact_invalid"
    assert [one.facts["grave"] for one in questions.decided()] == [1]


@pytest.mark.parametrize(
    ("declared", "fact"),
    [("{type: string}", "secret"), ("{type: path}", "a/b"), ("{type: text, optional: true}", None)],
)
def test_a_table_that_takes_texts_answers_and_is_forgotten(declared: str, fact: str | None) -> None:
    body = f"hit: first\ninputs: {{n: {{type: integer}}, x: {declared}}}\noutputs: {{y: {{type: boolean}}}}\n"
    questions = Questions(load(table(body + "rows: [{id: all, then: {y: true}}]\n")))
    assert questions.ask("t.table", n=1, x=fact).row == "all"
    assert questions.decided() == ()


def test_no_recorded_table_could_hold_a_text_of_the_user_s_work(policies: PolicySet) -> None:
    assert all(is_closed(policies.table(document)) for document in RECORDED)
    assert not is_closed(policies.table("review.risk-signals"))


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def test_the_log_of_a_run_holds_what_the_tables_were_asked_and_no_word_of_the_work(request_for: Request) -> None:
    secret = "kHr7Tq2pVbZ9"
    for path in (request_for.start / "datarim").rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n- **V-AC-77** The {secret} is password: {secret}\n", encoding="utf-8")
    script = request_for.start / "scripts/nightly.sh"
    script.write_text(f"{script.read_text()}\ncd {secret}\nTOKEN={secret}\n")
    run = pipeline.verify(request_for, Silent())
    assert run.audit_log is not None
    assert any(secret in (one.finding.evidence.excerpt or "") for one in run.findings)
    header = read_log(request_for.start / run.audit_log, run.policies).header
    assert header["decisions_left_out"] == 0
    decisions = header["decisions"]
    assert {one["document"] for one in decisions} == RECORDED - {"verify.persistence"}
    for one in decisions:
        document = run.policies.table(one["document"]).document
        kinds = [declared.type for names in (document.inputs, document.outputs) for declared in names.values()]
        known = {term for kind in kinds if isinstance(kind, TermType) for term in kind.terms}
        assert set(strings({"facts": one["facts"], "outputs": one["outputs"]})) <= known
        assert run.policies.table(one["document"]).decide(one["facts"]).row == one["row"]
    floor = sum(one.finding.source_layer == "floor" for one in run.findings)
    disposed = [one for one in decisions if one["document"] == "verify.disposition"]
    assert sum(one.get("times", 1) for one in disposed) >= floor


def test_the_judgment_stands_first_and_its_rows_are_those_of_decided_by(request_for: Request) -> None:
    run = pipeline.verify(request_for._replace(write=False), Silent())
    record = record_of(run)
    names = ["verify.verdict", "verify.outcome", "verify.exit-code", "verify.exit"]
    assert [one.document for one in record.decisions[:4]] == names
    assert {one.document: one.row for one in record.decisions[:4]} == record.decided_by
    keys = [(one.document, tuple(one.facts.items())) for one in record.decisions]
    assert len(keys) == len(set(keys))


def test_findings_of_other_layers_are_counted_once_and_asked_whether_they_lasted(
    request_for: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = "datarim/plans/LEDG-0042-plan.md:1"
    claim = Finding(DISPATCH, plan, "medium", "safety", Evidence(TEST_OUTPUT, "pytest", "1 failed in 3 seconds"))

    def reached(*_: object, **__: object) -> tuple[LayerResult, ...]:
        return (LayerResult(DISPATCH, RAN, "one agent", findings=(claim,)),)

    monkeypatch.setattr(pipeline, "model_layers", reached)
    run = pipeline.verify(request_for._replace(write=False), Silent())
    asked = {document: [one for one in run.decisions if one.document == document] for document in RECORDED}
    claims = sum(len(layer.findings) for layer in run.layers)
    assert sum(one.times for one in asked["verify.disposition"]) == claims
    assert [one.row for one in asked["verify.persistence"] if one.facts["layer"] == DISPATCH] == ["few-runs"]


def test_a_skipped_task_asked_one_question(request_for: Request) -> None:
    prd = request_for.start / "datarim/prd/PRD-LEDG-0042.md"
    prd.write_text("---\ncomplexity: L1\n---\n\n# Small\n")
    run = pipeline.verify(request_for, Silent())
    assert run.skipped is not None
    assert run.audit_log is None

"""Past decisions from end to end: runs are recorded, a policy is edited, and a replay says what would change."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from policy_support import overlay
from repository_support import Repository
from sources_support import write
from tests_support import Run

from verify.audit.seal import sealed

TASK = "LEDG-0042"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCHEMA = Path(__file__).resolve().parents[2] / "docs/schemas/dr-policy.replay.v1.json"
GOLDEN = Path(__file__).resolve().parents[1] / "verify/audit/golden/without-decisions/verify-TST-0001-do-1.md"
LOG = f"datarim/qa/verify-{TASK}-do-1.md"
STRICTER = overlay("replace: {warning: {then: {severity: high}}}\n", "repo.stricter", "verify.shellcheck-severity")
CAREFUL = overlay("replace: {nothing-above-low: {then: {verdict: CONDITIONAL}}}\n", "repo.careful", "verify.verdict")
RENAMED = overlay(
    "remove: [nothing-above-low]\ninsert: [{at: end, row: {id: nothing-grave, then: {verdict: PASS}}}]\n",
    "repo.renamed",
    "verify.verdict",
)


@pytest.fixture(scope="module")
def verified(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of a ledger, verified once at each of two stages."""
    made = tmp_path_factory.mktemp("verified") / "ledger"
    shutil.copytree(EXAMPLES / "ledger", made, ignore=shutil.ignore_patterns("verify-*.md"))
    Repository(made).commit("The ledger")
    for stage in ("do", "plan"):
        arguments = ("--floor-only", "--no-commands", "--stage", stage, "--workspace", str(made))
        assert run("dr-verify", TASK, *arguments).returncode in (0, 1)
    return made


@pytest.fixture
def root(verified: Path, tmp_path: Path) -> Path:
    """A copy of it, logs and all."""
    shutil.copytree(verified, tmp_path / "ledger")
    return tmp_path / "ledger"


def replayed(run: Run, root: Path, *arguments: str, status: int) -> Any:
    result = run("dr-policy", "replay", *arguments, "--json", cwd=root)
    assert (result.returncode, result.stderr) == (status, "")
    document = json.loads(result.stdout)
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(document)
    return document


def test_the_same_policies_decide_the_same(run: Run, root: Path) -> None:
    document = replayed(run, root, status=0)
    assert (document["ok"], document["records"], document["empty"]) == (True, 2, [])
    names = {one["document"] for one in document["documents"]}
    assert {"verify.verdict", "verify.outcome", "verify.exit-code", "verify.exit", "verify.skip"} <= names
    text = run("dr-policy", "replay", cwd=root / "datarim/plans")
    assert text.returncode == 0
    assert "verify.verdict: 2 asked, none would change\n" in text.stdout
    assert text.stdout.endswith("past decisions would change (2 logs and files)\n")


def test_an_edit_shows_which_past_decisions_it_changes_and_where(run: Run, root: Path) -> None:
    write(root, "stricter.yaml", STRICTER)
    document = replayed(run, root, status=1)
    assert {one["facts"]["level"] for one in document["changes"]} == {"warning"}
    for one in document["changes"]:
        assert (one["before"], one["after"]) == ({"severity": "medium"}, {"severity": "high"})
        assert (one["document"], one["direction"]) == ("verify.shellcheck-severity", "stronger")
        assert (one["row_before"], one["row_after"]) == ("warning", "warning")
        assert [place["file"] for place in one["places"]] == [LOG]
        asked = run("dr-policy", "eval", one["document"], "--facts", json.dumps(one["facts"]), "--json", cwd=root)
        assert json.loads(asked.stdout)["outputs"] == one["after"]
    assert document["total"]["stronger"] == document["total"]["changed"] >= 2
    told = run("dr-policy", "replay", cwd=root)
    assert told.returncode == 1
    assert f'    severity "medium" -> "high" (stronger)\n    once, in {LOG}\n' in told.stdout


def test_a_past_verdict_would_be_another(run: Run, example: Callable[[str], Path]) -> None:
    made = example("ledger-repaired")
    for _ in range(2):
        assert run("dr-verify", TASK, "--floor-only", "--workspace", str(made)).returncode == 0
    write(made, "careful.yaml", CAREFUL)
    (change,) = replayed(run, made, status=1)["changes"]
    assert (change["document"], change["before"], change["after"]) == (
        "verify.verdict",
        {"verdict": "PASS"},
        {"verdict": "CONDITIONAL"},
    )
    assert (change["direction"], change["times"], len(change["places"])) == ("stronger", 2, 2)


def test_the_policies_of_a_revision_are_asked_instead_of_those_of_the_working_tree(run: Run, root: Path) -> None:
    write(root, "stricter.yaml", STRICTER)
    assert replayed(run, root, "--policy-from", "HEAD", status=0)["ok"]


def test_a_row_that_was_renamed_answers_the_same(run: Run, example: Callable[[str], Path]) -> None:
    made = example("ledger-repaired")
    assert run("dr-verify", TASK, "--floor-only", "--workspace", str(made)).returncode == 0
    write(made, "renamed.yaml", RENAMED)
    document = replayed(run, made, status=0)
    rows = {(one["row_before"], one["row_after"]) for one in document["renamed"]}
    assert rows == {("nothing-above-low", "nothing-grave")}


def test_a_broken_seal_is_told_and_the_answer_is_not_complete(run: Run, root: Path) -> None:
    log = root / LOG
    log.chmod(0o644)
    log.write_bytes(log.read_bytes().replace(b"persistent: false", b"persistent: true"))
    document = replayed(run, root, status=3)
    (problem,) = document["problems"]
    assert (problem["code"], problem["place"]) == ("log_digest_differs", LOG)
    assert (document["complete"], document["records"]) == (False, 2)
    assert document["total"]["changed"] == 0
    assert document["total"]["asked"] > 0
    write(root, "stricter.yaml", STRICTER)
    replayed(run, root, LOG, status=3)


def test_logs_that_hold_no_decisions_are_read_and_are_no_pass(run: Run, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "datarim/qa").mkdir(parents=True)
    (other / "datarim/qa" / GOLDEN.name).write_bytes(GOLDEN.read_bytes())
    reference = "---\ntask_id: TUNE-0100\nstage: all\niter: 1\nverdict: PASS\n---\n"
    (other / "datarim/qa/verify-TUNE-0100-all-1.md").write_text(reference)
    document = replayed(run, other, status=3)
    assert (document["complete"], document["problems"], document["documents"]) == (False, [], [])
    assert document["empty"] == [f"datarim/qa/{GOLDEN.name}", "datarim/qa/verify-TUNE-0100-all-1.md"]
    assert "no past decisions were found" in run("dr-policy", "replay", cwd=other).stdout
    both = replayed(run, root, str(other), "datarim/qa", status=0)
    assert (both["records"], len(both["empty"])) == (4, 2)


def test_a_hostile_log_costs_an_answer_and_nothing_else(run: Run, root: Path) -> None:
    head = "---\nschema: dr-verify.log/v1\ntask_id: A-0001\nstage: do\niter: 1\nverdict: PASS\nrun_id: x\ndecisions:\n"
    entries = (
        "{document: no.such.policy, facts: {}, outputs: {}, row: x}",
        "{document: verify.verdict, facts: {high: [[{}]], medium: 1.5, low: null, persistent: x}, outputs: {}, row: x}",
        "{document: verify.limits, facts: {}, outputs: {}, row: x}",
        "{document: verify.verdict, facts: {high: " + "y" * 2**20 + "}, outputs: {}, row: x}",
        '{document: verify.exit, facts: {"a\\nb": "\\e[2J"}, outputs: {}, row: "x\\n0 problems"}',
    )
    log = root / "datarim/qa/verify-A-0001-do-1.md"
    log.write_bytes(sealed((head + "".join(f"- {entry}\n" for entry in entries) + "---\n# Log\n").encode()))
    document = replayed(run, root, status=3)
    codes = [one["code"] for one in document["undecidable"]]
    assert sorted(codes) == ["fact_invalid", "fact_invalid", "fact_missing", "unknown_document", "wrong_kind"]
    text = run("dr-policy", "replay", cwd=root).stdout
    assert "\x1b" not in text
    assert len(text) < 20_000
    assert "0 problems" not in text.splitlines()

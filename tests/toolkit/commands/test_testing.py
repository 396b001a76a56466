"""``dr-policy test`` in real repositories: every outcome, coverage, layers, and what machines read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from commands_support import Result, Run
from jsonschema import Draft202012Validator
from policy_support import head, overlay, table
from repository_support import Repository
from sources_support import write

from toolkit.policy.sets import PolicySet

SCHEMA = Path(__file__).parents[3] / "docs/schemas/dr-policy.test.v1.json"
BUDGET = table(
    """\
    inputs: {lines: {type: integer, minimum: 0}}
    outputs: {fits: {type: boolean}}
    rows:
      - {id: small, when: {lines: {lte: 60}}, then: {fits: true}}
      - {id: large, when: {lines: {gt: 60}}, then: {fits: false}}
    """,
    "repo.budget",
)
HOLDS = (
    "  - {id: sixty, given: {lines: 60}, expect: {fits: true}, row: small}\n"
    "  - {id: more, given: {lines: 61}, expect: {fits: false}, row: large}\n"
)
FAILS = "  - {id: wrong, given: {lines: 61}, expect: {fits: true}, row: small}\n"
RISK = overlay(
    "replace: {large-change: {when: {authored_lines: {gt: 600}}, then: {tier: high}}}\n", "repo.risk", "review.risk"
)
RISK_CASES = (
    "cases:\n"
    "  - {id: six-hundred, given: {authored_lines: 600, signals: [], passive: false}, expect: {tier: medium},"
    " row: ordinary-change}\n"
    "  - {id: more, given: {authored_lines: 601, signals: [], passive: false}, expect: {tier: high},"
    " row: large-change}\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Repository(tmp_path / "repository").path


def budget(root: Path, cases: str) -> None:
    write(root, "budget.yaml", BUDGET + ("cases:\n" + cases if cases else ""))


def machine_output(result: Result) -> Any:
    """What was printed with --json, held against its schema."""
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(result.json)
    return result.json


def suites(result: Result) -> dict[str, dict[str, Element]]:
    """The cases of each suite by their names, in JUnit XML."""
    root = fromstring(result.out)
    found = {suite.attrib["name"]: {one.attrib["name"]: one for one in suite} for suite in root}
    assert int(root.attrib["tests"]) == sum(map(len, found.values()))
    return found


def end(case: Element) -> str:
    return next((child.tag for child in case if child.tag != "system-out"), "passed")


def test_everything_that_is_shipped_passes_and_is_covered(run: Run) -> None:
    result = run("test", "--require-all")
    cases, rest = result.out.split(" cases: ")

    assert (result.status, result.err) == (0, "")
    assert rest.startswith(f"{cases} pass; ")


def test_a_case_that_fails_fails_the_run_and_is_told_with_its_place_and_reason(run: Run, root: Path) -> None:
    budget(root, HOLDS + FAILS)
    result = run("test", "repo.budget")

    assert (result.status, result.err) == (1, "")
    assert result.out.splitlines() == [
        "fail  repo.budget: wrong  .dr/policies/budget.yaml:15:5",
        '  expected: {"fits": true} by row small',
        '  decided: {"fits": false} by row large',
        "  why: expected row small, decided by row large",
        "  why: fits: expected true, decided false",
        "  why: row small does not match: lines is 61, asked: lte 60",
        "3 cases: 2 pass, 1 fail; 2 of 2 rows covered",
    ]


def test_the_machine_output_of_every_outcome(run: Run, root: Path) -> None:
    todo = "  - {id: later, given: {lines: 1}, expect: {fits: false}, todo: think again}\n"
    broken = "  - {id: broken, given: {line: 1}, expect: {fits: false}, row: small}\n"
    budget(root, HOLDS + FAILS + todo + broken)
    write(root, "risk.yaml", RISK)
    result = run("test", "--json")
    found = machine_output(result)

    own = {one["id"]: one for one in found["cases"] if one["document"] == "repo.budget"}
    assert {name: one["outcome"] for name, one in own.items()} == {
        "sixty": "pass", "more": "pass", "wrong": "fail", "later": "todo", "broken": "error",
    }  # fmt: skip
    assert (own["wrong"]["row"], own["wrong"]["expected"]["row"], own["wrong"]["line"]) == ("large", "small", 15)
    changed = [one for one in found["cases"] if one["outcome"] == "changed"]
    assert {(one["document"], *one["changed_by"]) for one in changed} == {("review.risk", "repo.risk")}
    assert found["counts"]["changed"] == len(changed) > 0
    assert (result.status, found["ok"], found["error"]["code"]) == (2, False, "fact_missing")
    assert [(one["code"], one["line"], one["column"]) for one in found["problems"]] == [
        ("fact_missing", 17, 25), ("fact_unknown", 17, 26),
    ]  # fmt: skip


def test_what_is_wrong_with_cases_is_told_as_a_broken_set_is_and_the_rest_is_asked(run: Run, root: Path) -> None:
    budget(root, HOLDS + "  - {id: broken, given: {lines: 1}, expect: {fits: true}, row: smal}\n")
    result = run("test", "repo.budget")

    assert (result.status, result.err) == (2, (
        ".dr/policies/budget.yaml:15:64: unknown_row: repo.budget has no row 'smal' "
        "(did you mean 'small'?) [repo.budget]\n"
    ))  # fmt: skip
    assert result.out == "3 cases: 2 pass, 1 error; 2 of 2 rows covered\n"


def test_a_set_that_does_not_load_is_told_as_check_tells_it(run: Run, root: Path) -> None:
    write(root, "budget.yaml", BUDGET.replace("lte: 60", "lte: 50") + "cases: {}\n")
    tested, checked = run("test"), run("check")

    assert (tested.status, tested.out, tested.err) == (2, "", checked.out)
    assert run("test", "--json").json["error"]["code"] == run("check", "--json").json["problems"][0]["code"]


def test_all_rows_are_required_only_where_that_is_asked(run: Run, root: Path) -> None:
    budget(root, HOLDS.splitlines(keepends=True)[0])
    result = run("test", "repo.budget", "--require-all")

    assert run("test", "repo.budget").status == 0
    assert result.status == 1
    assert result.out.splitlines()[0].startswith(".dr/policies/budget.yaml:11:5: row_uncovered: ")
    assert result.out.splitlines()[-1] == "1 case: 1 pass; 1 of 2 rows covered"
    found = machine_output(run("test", "repo.budget", "--require-all", "--json"))
    assert [(one["row"], one["line"]) for one in found["coverage"]["uncovered"]] == [("large", 11)]
    assert [(one["code"], one["document"]) for one in found["problems"]] == [("row_uncovered", "repo.budget")]


def test_no_case_is_no_pass(run: Run, root: Path) -> None:
    budget(root, "")
    result = run("test", "repo.budget")

    assert result.status == 1
    assert result.out.splitlines()[0].startswith(".dr/policies/budget.yaml:1:1: no_cases: repo.budget has no case")
    assert result.out.splitlines()[-1] == "0 cases; 0 of 2 rows covered"
    found = machine_output(run("test", "repo.budget", "--json"))
    assert ([one["code"] for one in found["problems"]], found["ok"]) == (["no_cases"], False)
    assert run("test").status == 0
    assert "1 of " in run("test").out


def test_nothing_but_what_is_to_do_is_no_pass(run: Run, root: Path) -> None:
    budget(root, "  - {id: a, given: {lines: 1}, expect: {fits: true}, row: small, todo: once decided}\n")
    result = run("test", "repo.budget")

    assert result.status == 1
    assert "  holds by now: drop todo" in result.out.splitlines()


@pytest.mark.parametrize(
    ("document", "code"),
    [("verify.verdit", "unknown_document"), ("verify.limits", "wrong_kind"), ("", "unknown_document")],
)
def test_what_is_no_table_or_machine_is_wrong_usage(document: str, code: str, run: Run) -> None:
    result = run("test", "verify.verdict", document, "--json")

    assert (result.status, result.json["error"]["code"]) == (2, code)
    assert run("test", "verify.verdit").err.splitlines()[-1] == "next: did you mean 'verify.verdict'?"


def test_an_edit_of_a_team_changes_cases_and_brings_its_own(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK)
    bare = run("test", "review.risk", "--require-all")
    write(root, "risk.yaml", RISK + RISK_CASES)
    cased = run("test", "review.risk", "--require-all")

    assert (bare.status, run("test", "review.risk").status) == (1, 0)
    assert ".dr/policies/risk.yaml:7:11: row_uncovered: no passing case hits the row large-change" in bare.out
    assert cased.status == 0
    assert "changed  review.risk: " in cased.out
    assert "(by repo.risk)" in cased.out


def test_no_edit_hides_a_case_behind_one_of_its_name(run: Run, root: Path) -> None:
    hiding = "{authored_lines: 9999, signals: [], passive: false}, expect: {tier: high}, row: large-change"
    write(root, "risk.yaml", RISK + f"cases: [{{id: one-line-too-many, given: {hiding}}}]\n")
    result = run("test", "review.risk", "--require-all")
    found = machine_output(run("test", "review.risk", "--json"))
    junit = suites(run("test", "review.risk", "--format", "junit"))["review.risk"]

    assert (result.status, result.err) == (0, "")
    told = result.out.splitlines()
    assert told[0].startswith("changed  review.risk: one-line-too-many  policies/review/risk.yaml:")
    assert told[0].endswith("  (by repo.risk)")
    assert "  the case of this name in repo.risk stands for it" in told
    assert " 1 changed; " in told[-1]
    both = [one for one in found["cases"] if one["id"] == "one-line-too-many"]
    assert [(one["layer"], one["outcome"], one["replaced_by"]) for one in both] == [
        ("shipped", "changed", "repo.risk"), ("repository", "pass", None),
    ]  # fmt: skip
    assert {name: end(one) for name, one in junit.items() if name.startswith("one-line-too-many")} == {
        "one-line-too-many": "passed", "one-line-too-many (shipped)": "skipped",
    }  # fmt: skip


@pytest.mark.parametrize("profile", ["compact", "atomic"])
def test_each_profile_passes_and_covers_every_row(profile: str, run: Run, root: Path) -> None:
    (root / ".dr").mkdir()
    (root / ".dr/config.yaml").write_text(f"profile: {profile}\n")
    found = machine_output(run("test", "--require-all", "--json"))

    assert found["ok"]
    assert {one["changed_by"][0] for one in found["cases"] if one["outcome"] == "changed"} == (
        {"profile.atomic.gate", "profile.atomic.lifecycle", "profile.atomic.risk"} if profile == "atomic" else set()
    )


def test_a_user_s_case_is_asked_and_what_a_team_changes_of_it_is_no_failure(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "configuration/dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    case = (
        "{id: mine, given: {authored_lines: 401, signals: [], passive: false}, expect: {tier: high}, row: large-change}"
    )
    (folder / "risk.yaml").write_text(overlay(f"cases: [{case}]\n", "user.risk", "review.risk"))
    (folder / "risk.yaml").chmod(0o600)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))

    def mine() -> tuple[str, str]:
        found = machine_output(run("test", "review.risk", "--json"))
        return next((one["outcome"], one["layer"]) for one in found["cases"] if one["id"] == "mine")

    assert mine() == ("pass", "user")
    write(root, "risk.yaml", RISK)
    assert mine() == ("changed", "user")


def test_the_cases_of_a_revision_are_asked_there(run: Run, root: Path) -> None:
    budget(root, FAILS)
    Repository(root).commit("fails")
    budget(root, HOLDS)

    assert run("test", "repo.budget").status == 0
    result = run("test", "repo.budget", "--policy-from", "HEAD")
    assert result.status == 1
    assert "HEAD:.dr/policies/budget.yaml:13:5" in result.out


def test_junit_has_a_suite_a_document_and_a_case_a_case(run: Run, root: Path) -> None:
    todo = '  - {id: later, given: {lines: 1}, expect: {fits: false}, todo: "a\\x1b]0;b\\u202e<&>\\n]]>"}\n'
    broken = "  - {id: broken, given: {lines: x}, expect: {fits: false}}\n"
    budget(root, HOLDS + FAILS + todo + broken)
    write(root, "risk.yaml", RISK)
    result = run("test", "--format", "junit")
    found = suites(result)

    assert (result.status, result.err) == (2, "")
    assert {name: end(case) for name, case in found["repo.budget"].items()} == {
        "sixty": "passed", "more": "passed", "wrong": "failure", "later": "skipped", "broken": "error",
    }  # fmt: skip
    assert "skipped" in {end(case) for case in found["review.risk"].values()}
    failure = found["repo.budget"]["wrong"].find("failure")
    assert failure is not None
    assert "row small does not match: lines is 61, asked: lte 60" in (failure.text or "")
    assert "at .dr/policies/budget.yaml:15:5" in (failure.text or "")
    skipped = found["repo.budget"]["later"].find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "todo: a\\x1b]0;b\\u202e<&>\\n]]>"
    assert (found["repo.budget"]["broken"].findtext("system-out") or "").count("fact_invalid") == 1


def test_junit_shows_what_is_missing_as_failures(run: Run, root: Path) -> None:
    budget(root, "")
    result = run("test", "repo.budget", "--format", "junit", "--require-all")

    assert result.status == 1
    assert {name: end(case) for name, case in suites(result)["repo.budget"].items()} == {
        "no_cases": "failure", "row_uncovered": "failure",
    }  # fmt: skip


def test_junit_tells_a_set_that_does_not_load(run: Run, root: Path) -> None:
    write(root, "budget.yaml", BUDGET.replace("lte: 60", "lte: 50") + 'cases: {}\n"\\x1b[2J": 1\n')
    text, junit = run("test"), run("test", "--format", "junit")
    ((name, cases),) = suites(junit).items()

    assert (junit.status, junit.err) == (2, text.err)
    assert (name, {end(one) for one in cases.values()}) == ("dr-policy test", {"error"})
    assert [one.findtext("system-out") for one in cases.values()] == junit.err.splitlines()
    assert len(cases) > 1


def test_junit_tells_a_question_that_can_t_be_asked(run: Run) -> None:
    result = run("test", "verify.verdit", "--format", "junit")
    ((_, cases),) = suites(result).items()

    assert (result.status, [end(one) for one in cases.values()]) == (2, ["error"])
    (case,) = cases.values()
    assert "did you mean 'verify.verdict'?" in (case.findtext("system-out") or "")
    assert "[unknown_document]" in result.err


def test_junit_says_where_a_document_has_more_faults_than_are_told(run: Run, root: Path) -> None:
    budget(
        root,
        "".join(
            f"  - {{id: {number}{'b' * 90}, given: {{lines: {number}}}, expect: {{fits: true}}}}\n"
            for number in range(120)
        ),
    )
    found = suites(run("test", "repo.budget", "--format", "junit"))["repo.budget"]

    assert end(found["too_many_problems"]) == "error"


def test_one_form_of_output_at_a_time(run: Run) -> None:
    result = run("test", "--json", "--format", "junit")

    assert (result.status, result.json["error"]["code"]) == (2, "usage")
    assert run("test", "--format", "xml").status == 2


def test_what_a_terminal_would_obey_is_spelled_out(run: Run, root: Path) -> None:
    hostile = "\\x1b[2J\\u202e"
    budget(root, f'  - {{id: "{hostile}", given: {{lines: 1}}, expect: {{fits: true}}}}\n'
                 f'  - {{id: a, given: {{lines: 1}}, expect: {{fits: false}}, todo: "{hostile}"}}\n')  # fmt: skip
    result = run("test", "repo.budget")

    assert result.status == 2
    assert not {"\x1b", "\u202e"} & set(result.out + result.err)


def test_a_machine_of_a_team_is_asked(run: Run, root: Path) -> None:
    write(root, "states.yaml", head("vocabulary", "repo.state") + "terms: [{term: dark}, {term: bright}]\n")
    write(root, "lamp.yaml", head("machine", "repo.lamp") + (
        "states: {of: repo.state, initial: dark, terminal: []}\n"
        "events: {press: {}}\n"
        "transitions: [{id: lit, from: dark, event: press, to: bright, effects: [record-reason]}]\n"
        "cases:\n"
        "  - {id: first, given: {state: dark, event: press}, expect: {to: bright, effects: [record-reason]},"
        " row: lit}\n"
        "  - {id: once, given: {state: bright, event: press}, expect: {error: no_transition}}\n"
    ))  # fmt: skip
    result = run("test", "repo.lamp", "--require-all")

    assert (result.status, result.err, result.out) == (0, "", "2 cases: 2 pass; 1 of 1 rows covered\n")


def test_a_warm_cache_changes_nothing(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK + RISK_CASES)
    before = run("test", "--json").out
    run("list")

    assert run("test", "--json").out == before


def test_the_layers_below_are_made_of_the_bytes_that_were_read(root: Path) -> None:
    from toolkit.sources import load_policies

    write(root, "risk.yaml", RISK)
    (root / ".dr/config.yaml").write_text("profile: atomic\n")
    loaded = load_policies(root, whole=True)
    for path in (root / ".dr/policies/risk.yaml", root / ".dr/config.yaml"):
        path.unlink()

    def versions(policies: PolicySet) -> str:
        return policies.entry("review.risk").head.version

    assert [versions(loaded.up_to(layer)).partition("+")[2] for layer in ("shipped", "profile", "repository")] == [
        "", "profile.atomic.risk@1.0.0", "profile.atomic.risk@1.0.0.repo.risk@1.0.0",
    ]  # fmt: skip
    assert loaded.up_to("repository") is loaded.policies
    assert loaded.up_to("shipped").profile == "atomic"

"""``dr-policy diff``: which decisions an edit changes, in which direction, and who let it pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from commands_support import Result, Run
from jsonschema import Draft202012Validator
from policy_support import head, overlay, table
from repository_support import Repository
from sources_support import USER_LIMITS, write

from toolkit.authoring import comparison
from toolkit.authoring.comparison import Comparison, Unproved
from toolkit.commands.differences import DIRECTIONS
from toolkit.shipped import Shipped, read_shipped
from toolkit.sources import files, loading
from toolkit.sources.allowances import NAME

PROJECT = Path(__file__).parents[3]
PROGRAM = Path(sys.executable).parent / "dr-policy"
SCHEMAS = PROJECT / "docs/schemas"
# Three levels of care by a number, and who is told: each of the two outputs has an order.
GATE = table(
    """\
    inputs: {lines: {type: integer, minimum: 0}}
    outputs:
      gate: {type: term, one_of: [deny, ask, allow], stronger: [deny, ask, allow]}
      told: {type: boolean, stronger: [true, false]}
      label: {type: string}
    rows:
      - {id: small, when: {lines: {lte: 10}}, then: {gate: ask, told: false, label: s}}
      - {id: large, when: {lines: {gt: 10}}, then: {gate: deny, told: true, label: l}}
    """,
    "repo.gate",
)
WEAKER = GATE.replace("{lte: 10}", "{lte: 20}").replace("{gt: 10}", "{gt: 20}")
STRONGER = GATE.replace("{lte: 10}", "{lte: 5}").replace("{gt: 10}", "{gt: 5}")
CROSSED = GATE.replace("gate: ask, told: false", "gate: allow, told: true")
REVIEW = ("risk", "risk-signals", "signal", "tier")
OTHER = GATE.replace("label: s", "label: x")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Shipped:
    """Some of the shipped documents instead of all of them, so that a cold load is a short one."""
    whole = read_shipped()
    kept = [f"policies/{name}.yaml" for name in ("verify/limits", *(f"review/{one}" for one in REVIEW))]
    strict = {"profiles/atomic/risk.yaml": whole.profiles["atomic"]["policies/profiles/atomic/risk.yaml"]}
    shipped = Shipped(
        {name: whole.documents[name] for name in kept},
        {"atomic": strict},
        {"verify.limits": whole.shapes["verify.limits"]},
        {},
    )
    for module in (loading, files):
        monkeypatch.setattr(module, "read_shipped", lambda: shipped)
    return shipped


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose one commit has the table."""
    made = Repository(tmp_path / "repository")
    write(made.path, "gate.yaml", GATE)
    made.commit("base", {"src/a.py": "1\n"})
    return made


@pytest.fixture
def root(repository: Repository) -> Path:
    return repository.path


def held(result: Result, name: str = "dr-policy.diff.v1") -> Any:
    """The document that was printed, held against its schema."""
    _validator(name).validate(result.json)
    return result.json


def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_bytes()))


def recorded(root: Path) -> list[Any]:
    """The lines of the record, each held against its schema."""
    if not (root / NAME).exists():
        return []
    lines = [json.loads(line) for line in (root / NAME).read_text().splitlines()]
    for line in lines:
        _validator("dr-policy.weakened.v1").validate(line)
    return lines


def directions(document: Any) -> list[tuple[str, str, str]]:
    return [(one["document"], one["row_before"], one["direction"]) for one in document["changes"]]


# What differs.


def test_nothing_differs_where_nothing_was_edited(run: Run) -> None:
    result = run("diff", "--from", "HEAD")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[-1] == "no decision changes"
    document = held(run("diff", "--from", "HEAD", "--json", "--forbid-weaker"))
    assert (document["ok"], document["complete"], document["changes"], document["changed"]) == (True, True, [], [])
    assert document["from"]["digest"] == document["to"]["digest"]


def test_a_raised_threshold_is_weaker_and_facts_show_it(run: Run, root: Path, repository: Repository) -> None:
    write(root, "gate.yaml", WEAKER.replace("1.0.0", "1.1.0"))
    document = held(run("diff", "--from", "HEAD", "--json"))
    (change,) = document["changes"]
    assert (change["document"], change["kind"], change["direction"]) == ("repo.gate", "decision", "weaker")
    assert (change["row_before"], change["row_after"]) == ("large", "small")
    assert (change["before"]["gate"], change["after"]["gate"]) == ("deny", "ask")
    assert 10 < change["witness"]["lines"] <= 20
    assert (document["weaker"], document["directions"], document["ok"]) == (1, {"weaker": 1}, True)
    assert (document["from"]["name"], document["from"]["revision"]) == ("HEAD", repository.head())
    assert (document["to"]["name"], document["to"]["revision"]) == ("the working tree", None)
    assert document["changed"] == ["repo.gate"]


def test_people_read_the_direction_first_then_rows_outputs_and_facts(
    run: Run, root: Path, repository: Repository
) -> None:
    write(root, "gate.yaml", WEAKER.replace("1.0.0", "1.1.0"))
    result = run("diff", "--from", "main")
    facts = result.out.splitlines()[5]
    assert facts.startswith("            for lines 1")
    assert result.out.splitlines() == [
        f"from main ({repository.head()[:12]}, profile compact)",
        "to   the working tree (directory, profile compact)",
        "",
        "repo.gate  1.0.0 -> 1.1.0",
        "  weaker    row large -> small   gate: deny -> ask; told: true -> false; label: l -> s",
        facts,
        "",
        "1 decision changes: 1 weaker (less strict now)",
    ]
    assert result.status == 0


def test_a_working_tree_is_held_against_what_is_shipped_where_nothing_is_committed(run: Run, tmp_path: Path) -> None:
    plain = Repository(tmp_path / "plain")
    plain.commit("empty", {"a": "1"})
    edit = "replace: {large-change: {when: {authored_lines: {gt: 600}}, then: {tier: high}}}\n"
    write(plain.path, "risk.yaml", overlay(edit, base="review.risk"))
    document = held(run("diff", "--from", "HEAD", "--json", "--cwd", str(plain.path)))
    (change,) = document["changes"]
    assert (change["row_before"], change["row_after"]) == ("large-change", "ordinary-change")
    assert (change["before"], change["after"], change["direction"]) == ({"tier": "high"}, {"tier": "medium"}, "weaker")
    assert 400 < change["witness"]["authored_lines"] <= 600
    assert held(run("diff", "shipped", str(plain.path), "--json"))["changes"] == [change]
    text = run("diff", "--from", "HEAD", "--cwd", str(plain.path)).out
    assert "review.risk  1.0.0 -> 1.0.0+repo.overlay@1.0.0\n" in text


def test_a_signal_that_is_added_is_no_weakening(run: Run, root: Path) -> None:
    row = "{id: billing, when: {path: {glob: ['billing/**']}}, then: {signal: payments, reason: billing}}"
    write(root, "billing.yaml", overlay(f"insert: [{{at: end, row: {row}}}]\n", base="review.risk-signals"))
    document = held(run("diff", "--from", "HEAD", "--forbid-weaker", "--json"))
    assert document["changes"]
    assert document["weaker"] == 0
    if document["complete"]:
        assert document["ok"]


def test_two_revisions_are_compared_whatever_stands_in_the_working_tree(
    run: Run, root: Path, repository: Repository
) -> None:
    write(root, "gate.yaml", STRONGER)
    second = repository.commit("stronger")
    write(root, "gate.yaml", "[")
    document = held(run("diff", "--from", "main~1", "--to", "main", "--json", "--forbid-weaker"))
    assert (directions(document), document["ok"]) == ([("repo.gate", "small", "stronger")], True)
    assert document["to"]["revision"] == second
    assert held(run("diff", "main~1", "main", "--json"))["changes"] == document["changes"]
    back = held(run("diff", "main", "main~1", "--json"))
    assert directions(back) == [("repo.gate", "large", "weaker")]


def test_two_folders_and_two_files_are_compared(run: Run, root: Path, few: Shipped) -> None:
    risk = few.documents["policies/review/risk.yaml"].decode()
    for name, text in (("old", risk), ("new", risk.replace("400", "500"))):
        (root / name).mkdir()
        (root / name / "anything.yaml").write_text(text)
    document = held(run("diff", "old", "new", "--json"))
    decided = {(one["row_before"], one["row_after"]): one["direction"] for one in document["changes"]}
    assert decided.pop((None, None)) == "other"  # what the table requires has another number
    assert decided == {
        ("large-passive-change", "passive-change"): "weaker",
        ("large-change", "ordinary-change"): "weaker",
    }
    assert (document["from"]["kind"], document["from"]["files"]) == ("folder", ["old/anything.yaml"])
    files = held(run("diff", "old/anything.yaml", "new/anything.yaml", "--json"))
    assert files["changes"] == document["changes"]
    assert held(run("diff", "shipped", "new", "--json"))["changes"] == document["changes"]
    assert held(run("diff", "shipped", "old", "--json"))["changes"] == []


def test_a_copy_of_what_is_shipped_is_what_is_shipped(run: Run, root: Path, few: Shipped) -> None:
    for name, data in {**few.documents, **few.profiles["atomic"]}.items():
        place = root / "copy" / name.removeprefix("policies/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    document = held(run("diff", "shipped", "copy", "--json"))
    assert (document["changes"], document["complete"]) == ([], True)
    assert document["from"]["digest"] == document["to"]["digest"]
    assert document["to"]["left_out"] == ["copy/profiles/atomic/risk.yaml"]
    assert "copy/profiles/atomic/risk.yaml: left out" in run("diff", "shipped", "copy").err


def test_each_side_has_its_own_profile(run: Run, root: Path) -> None:
    (root / ".dr/config.yaml").write_text("profile: atomic\n")
    document = held(run("diff", "--from", "HEAD", "--json"))
    assert (document["from"]["profile"], document["to"]["profile"]) == ("compact", "atomic")
    assert document["changes"]
    text = run("diff", "--from", "HEAD").out
    assert "profile is atomic and was compact" in text


def test_the_user_s_layer_has_no_part(run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "configuration/dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "limits.yaml").write_text(USER_LIMITS)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    assert held(run("diff", "shipped", ".", "--json", "-d", "verify.limits"))["changes"] == []


def test_only_the_named_documents_are_compared(run: Run, root: Path) -> None:
    write(root, "gate.yaml", WEAKER)
    write(root, "limits.yaml", overlay("set: {/max_iter: 2}\n", "repo.limits", base="verify.limits"))
    whole = held(run("diff", "--from", "HEAD", "--json"))
    assert {one["document"] for one in whole["changes"]} == {"repo.gate", "verify.limits"}
    asked = ("diff", "--from", "HEAD", "--json", "--forbid-weaker")
    one = held(run(*asked, "-d", "verify.limits"))
    assert ({one["document"] for one in one["changes"]}, one["documents"], one["ok"]) == (
        {"verify.limits"},
        ["verify.limits"],
        False,  # a payload has no order, so nothing shows that it is not weaker
    )
    both = run(*asked, "--document", "verify.limits", "-d", "repo.gate", "-d", "repo.gate")
    assert (both.status, held(both)["documents"]) == (1, ["repo.gate", "verify.limits"])
    result = run(*asked, "-d", "repo.gat")
    assert (result.status, result.json["error"]["code"]) == (2, "unknown_document")
    assert "repo.gate" in result.json["error"]["next"]


def test_a_document_of_one_side_alone_can_be_asked_about(run: Run, root: Path) -> None:
    (root / ".dr/policies/gate.yaml").unlink()
    document = held(run("diff", "--from", "HEAD", "--json", "-d", "repo.gate"))
    assert [(one["kind"], one["after"]) for one in document["changes"]] == [("document", None)]
    assert "repo.gate  1.0.0 -> (absent)\n" in run("diff", "--from", "HEAD").out


def test_what_a_payload_says_is_told_besides_decisions(run: Run, root: Path) -> None:
    write(root, "limits.yaml", overlay("set: {/max_iter: 2}\n", "repo.limits", base="verify.limits"))
    text = run("diff", "--from", "HEAD").out
    assert "  other     /max_iter is 2 and was 3  (!)\n" in text
    assert text.endswith(
        "no decision changes\n1 more of what is declared or said: 1 other (different, with no order between the two)\n"
        "(!) 1 of these may be weaker: no order says otherwise\n"
    )


def test_a_row_that_is_only_called_otherwise_changes_no_decision(run: Run, root: Path) -> None:
    write(root, "gate.yaml", GATE.replace("id: small", "id: little"))
    result = run("diff", "--from", "HEAD", "--forbid-weaker")
    assert result.status == 0
    assert result.out.endswith("no decision changes\nnot the same, and decided alike: repo.gate\n")


# What is forbidden, and what is allowed.


@pytest.mark.parametrize(
    ("edited", "direction", "status"),
    [(WEAKER, "weaker", 1), (STRONGER, "stronger", 0), (CROSSED, "mixed", 1), (OTHER, "other", 0), (GATE, "", 0)],
)
def test_a_weaker_or_a_mixed_decision_is_forbidden(
    run: Run, root: Path, edited: str, direction: str, status: int
) -> None:
    write(root, "gate.yaml", edited)
    result = run("diff", "--from", "HEAD", "--forbid-weaker", "--json")
    document = held(result)
    assert (result.status, document["ok"]) == (status, status == 0)
    assert direction in {*document["directions"], ""}
    assert run("diff", "--from", "HEAD").status == 0


def test_what_can_t_be_held_against_what_it_was_is_forbidden_too(run: Run, root: Path) -> None:
    write(root, "gate.yaml", head("vocabulary", "repo.gate") + "terms: [{term: a}]\n")
    result = run("diff", "--from", "HEAD", "--forbid-weaker", "--json")
    document = held(result)
    assert (result.status, document["complete"], document["directions"]) == (1, False, {"unknown": 1})
    assert run("diff", "--from", "HEAD").status == 3
    assert run("diff", "--from", "HEAD", "--allow-weaker", "it was never asked").status == 0
    (line,) = recorded(root)
    assert [one["direction"] for one in line["weaker"]] == ["unknown"]


def test_a_pattern_that_nobody_can_compare_is_not_taken_for_the_same(
    run: Run, root: Path, repository: Repository
) -> None:
    text = table(
        "hit: first\ninputs: {x: {type: string}}\n"
        "outputs: {y: {type: term, one_of: [deny, allow], stronger: [deny, allow]}}\n"
        "rows:\n  - {id: a, when: {x: {matches: ['a[bc]+d{3}']}}, then: {y: deny}}\n  - {id: b, then: {y: allow}}\n",
        "repo.pattern",
    )
    write(root, "pattern.yaml", text)
    repository.commit("pattern")
    write(root, "pattern.yaml", text.replace("a[bc]+d{3}", "a[bc]+d{4}"))
    result = run("diff", "--from", "HEAD", "--forbid-weaker", "--json")
    assert result.status == 1
    assert held(result)["weaker"] or not held(result)["complete"]


def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be shown of one document."""
    found = Comparison((), (Unproved("repo.gate", "row small", "the boxes ran out"),), ("repo.gate",), 7)
    monkeypatch.setattr(comparison, "compare", lambda *_sets, **_options: found)


def test_what_could_not_be_shown_is_neither_yes_nor_no(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unproved(monkeypatch)
    for options, status in (((), 3), (("--forbid-weaker",), 1), (("--allow-weaker", "it is only wording"), 0)):
        result = run("diff", "--from", "HEAD", "--json", *options)
        document = held(result)
        assert (result.status, document["complete"], document["boxes"]) == (status, False, 7)
        assert document["unproved"] == [
            {"document": "repo.gate", "subject": "row small", "reason": "the boxes ran out"}
        ]
    (line,) = recorded(root)
    assert (line["complete"], line["weaker"], len(line["unproved"])) == (False, [], 1)
    text = run("diff", "--from", "HEAD").out
    assert "could not be shown:\n  repo.gate row small: the boxes ran out\n" in text
    assert "no decision is known to change\n" in text


def test_a_reason_is_recorded_and_excuses_nothing_later(run: Run, root: Path, repository: Repository) -> None:
    write(root, "gate.yaml", WEAKER)
    result = run("diff", "--from", "HEAD", "--json", "--allow-weaker", " twenty lines are still small ")
    document = held(result)
    reason = "twenty lines are still small"
    assert (result.status, document["allowed"]) == (0, {"reason": reason, "record": "added"})
    (line,) = recorded(root)
    assert line["reason"] == reason
    assert line["from"] == {key: document["from"][key] for key in ("digest", "kind", "name", "profile", "revision")}
    assert line["to"]["digest"] == document["to"]["digest"]
    assert line["weaker"] == [
        {"document": "repo.gate", "row_before": "large", "row_after": "small", "direction": "weaker"}
    ]
    assert run("diff", "--from", "HEAD", "--forbid-weaker").status == 1
    repository.commit("with the record")
    assert run("diff", "--from", "main~1", "--to", "main", "--forbid-weaker").status == 1


def test_the_same_reason_for_the_same_edit_is_recorded_once(run: Run, root: Path) -> None:
    write(root, "gate.yaml", WEAKER)
    said = [run("diff", "--from", name, "--allow-weaker", "because").out.splitlines()[-1] for name in ("HEAD", "main")]
    assert said == [
        "allowed; the reason is recorded in .dr/weakened.jsonl",
        "allowed; the same reason for the same edit is recorded in .dr/weakened.jsonl already",
    ]
    assert len(recorded(root)) == 1
    assert run("diff", "--from", "HEAD", "--allow-weaker", "for another reason").status == 0
    assert len(recorded(root)) == 2


def test_where_nothing_is_weaker_nothing_is_recorded(run: Run, root: Path) -> None:
    write(root, "gate.yaml", STRONGER)
    result = run("diff", "--from", "HEAD", "--allow-weaker", "because")
    assert (result.status, recorded(root)) == (0, [])
    assert result.out.endswith("\nit is shown that nothing became weaker, so no reason is recorded\n")
    allowed = held(run("diff", "--from", "HEAD", "--allow-weaker", "because", "--json"))["allowed"]
    assert allowed == {"reason": "because", "record": "none"}


def test_a_linked_work_tree_keeps_a_record_of_its_own(
    run: Run, root: Path, repository: Repository, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
    write(tmp_path / "linked", "gate.yaml", WEAKER)
    assert run("diff", "--from", "main", "--allow-weaker", "b", "--cwd", str(tmp_path / "linked/src")).status == 0
    assert len(recorded(tmp_path / "linked")) == 1
    assert recorded(root) == []


def test_processes_that_allow_the_same_at_once_record_it_once(root: Path) -> None:
    write(root, "gate.yaml", WEAKER)
    command = [str(PROGRAM), "diff", "--from", "HEAD", "--allow-weaker", "because", "--json"]
    children = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) for _ in range(2)]
    said = [json.loads(child.communicate()[0])["allowed"]["record"] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sorted(said) == ["added", "present"]
    assert len(recorded(root)) == 1


def test_nothing_is_claimed_where_the_reason_can_t_be_recorded() -> None:
    script = """
import os, sys
import toolkit.sources.allowances
from toolkit.commands.main import main
from toolkit.sources import files, loading
kept = loading.read_shipped()
for module in (files, loading):
    module.read_shipped = lambda: kept
sys.argv = ["dr-policy", "diff", "old.yaml", "new.yaml", "--json", "--forbid-weaker"]
try:
    main()  # imports all that comparing needs, as long as it may be read
except SystemExit as ended:
    assert ended.code == 1, ended.code
os.ftruncate(1, 0), os.lseek(1, 0, 0)
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
sys.argv[-1:] = ["--allow-weaker", "because"]
main()
"""
    with tempfile.TemporaryDirectory(dir="/tmp") as made, tempfile.TemporaryFile() as out:
        root = Path(made)
        write(root, "gate.yaml", GATE)
        (root / "old.yaml").write_text(GATE)
        (root / "new.yaml").write_text(WEAKER)
        for path in (root / ".dr/policies", root / ".dr", root):
            path.chmod(0o555)
        environment = {**os.environ, "PYTHONPATH": str(PROJECT), "DR_VERIFY_CACHE_DIR": "/dev/null/none"}
        child = subprocess.run(
            [sys.executable, "-c", script], check=False, cwd=root, stdout=out, stderr=subprocess.PIPE, env=environment
        )
        out.seek(0)
        document = json.loads(out.read())
        for path in (root, root / ".dr"):
            path.chmod(0o755)
        assert (child.returncode, document["error"]["code"]) == (3, "not_writable"), document
        assert recorded(root) == []


# What is shown.


def test_a_refusal_and_no_answer_are_said_in_words(run: Run, root: Path) -> None:
    then = "then: {gate: deny, told: true, label: l}"
    write(root, "gate.yaml", GATE.replace(then, "then: {error: cannot-tell}"))
    text = run("diff", "--from", "HEAD").out
    assert "  other     row large   gate deny, told true, label l -> declines (cannot-tell)\n" in text
    row = "{id: billing, when: {path: {glob: ['billing/**']}}, then: {signal: payments, reason: billing}}"
    write(root, "gate.yaml", overlay(f"insert: [{{at: end, row: {row}}}]\n", base="review.risk-signals"))
    text = run("diff", "--from", "HEAD").out
    assert "  stronger  row (none) -> billing   no answer -> signal payments, reason billing\n" in text


def test_a_signal_that_nothing_gives_any_more_is_weaker_whatever_order_signals_have(run: Run, root: Path) -> None:
    write(root, "signals.yaml", overlay("remove: [own-policy]\n", base="review.risk-signals"))
    done = run("diff", "--from", "HEAD", "--forbid-weaker")
    assert done.status == 1
    assert "  weaker    row own-policy -> (none)   signal policy" in done.out


def test_of_a_transition_the_event_is_named_and_of_long_lists_what_differs(
    run: Run, root: Path, repository: Repository
) -> None:
    states = head("vocabulary", "repo.lamp-state") + "terms: [{term: dark}, {term: bright}]\n"
    effects = ["freeze-findings", "record-follow-ups", "write-receipt", "close-lineage"]
    machine = head("machine", "repo.lamp") + (
        "states: {of: repo.lamp-state, initial: dark, terminal: [bright]}\nevents: {press: {}}\n"
        "transitions:\n  - {id: lit, from: dark, event: press, to: bright, effects: [%s]}\n"
    )
    write(root, "states.yaml", states)
    write(root, "lamp.yaml", machine % ", ".join(effects))
    repository.commit("lamp")
    write(root, "lamp.yaml", machine % ", ".join([*effects[:2], "issue-acknowledgement", effects[3]]))
    text = run("diff", "--from", "HEAD").out
    assert "  other     press: row lit   effects: without write-receipt, with issue-acknowledgement  (!)\n" in text
    held(run("diff", "--from", "HEAD", "--json"))


def test_the_words_of_the_schema_are_those_of_a_comparison() -> None:
    schema = json.loads((SCHEMAS / "dr-policy.diff.v1.json").read_bytes())["$defs"]
    assert tuple(schema["change"]["properties"]["kind"]["enum"]) == comparison.KINDS
    assert tuple(schema["direction"]["enum"]) == comparison.DIRECTIONS == tuple(DIRECTIONS)


# What can't be asked.


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("HEAD",),
        ("--to", "HEAD"),
        ("HEAD", ".", "--from", "HEAD"),
        ("repo.gate", "--from", "HEAD"),
        ("HEAD", ".", "--to", "HEAD"),
        ("HEAD", ".", "third"),
        ("HEAD", ".", "--forbid-weaker", "--allow-weaker", "because"),
    ],
)
def test_what_makes_no_question_is_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("diff", *arguments, "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "usage")
    assert result.json["error"]["next"]


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "x" * 501])
def test_a_reason_that_is_none_is_refused_before_anything_is_asked(run: Run, root: Path, reason: str) -> None:
    write(root, "gate.yaml", WEAKER)
    result = run("diff", "--from", "HEAD", "--allow-weaker", reason, "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "bad_reason")
    assert recorded(root) == []


def test_a_reason_has_no_place_without_a_repository(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for name, text in (("old", GATE), ("new", WEAKER)):
        (tmp_path / f"plain/{name}.yaml").write_text(text)
    asked = ("diff", "old.yaml", "new.yaml", "--json", "--cwd", str(tmp_path / "plain"))
    assert run(*asked, "--forbid-weaker").status == 1
    result = run(*asked, "--allow-weaker", "because")
    assert (result.status, result.json["error"]["code"]) == (2, "no_repository")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nowhere", "."), "unknown_side"),
        (("--from", "nowhere"), "unknown_revision"),
        (("--from=-x",), "invalid_revision"),
        (("--from=--output=x",), "invalid_revision"),
        (("--", "-x", "HEAD"), "unknown_side"),
        (("--from", ""), "invalid_revision"),
        (("HEAD", "src"), "no_policies"),
        (("--from", "HEAD:.dr"), "invalid_revision"),
    ],
)
def test_a_side_that_is_none_is_bad_input(run: Run, arguments: tuple[str, ...], code: str) -> None:
    result = run("diff", "--json", *arguments)
    assert (result.status, result.json["error"]["code"]) == (2, code)
    assert result.json["error"]["next"]
    assert result.json["error"]["message"].startswith(("before: ", "after: "))


def test_a_name_of_a_branch_and_a_path_is_refused_with_the_way_out(
    run: Run, root: Path, repository: Repository
) -> None:
    repository.git("branch", "src")
    result = run("diff", "src", "HEAD", "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "ambiguous_side")
    assert "./src" in result.json["error"]["next"]
    assert run("diff", "refs/heads/src", "HEAD").status == 0


def test_the_problems_of_a_broken_side_are_told_as_a_check_tells_them(run: Run, root: Path) -> None:
    write(root, "gate.yaml", GATE.replace("hit", "hti").replace("rows:", "rwos:"))
    checked = [(one["code"], one["file"], one["line"]) for one in run("check", "--json").json["problems"]]
    result = run("diff", "--from", "HEAD", "--json")
    assert result.status == 2
    assert [(one["code"], one["file"], one["line"]) for one in result.json["problems"]] == checked
    assert all(one["message"].startswith("after: ") for one in result.json["problems"])
    text = run("diff", "--from", "HEAD")
    assert (text.status, text.out) == (2, "")
    assert ".dr/policies/gate.yaml" in text.err


def test_a_clone_that_lacks_what_is_asked_for_is_undetermined(run: Run, repository: Repository, tmp_path: Path) -> None:
    repository.commit("more", {"b": "2"})
    for name, options in (("bare", ["--bare"]), ("shallow", ["--depth=1"])):
        repository.git("clone", "-q", *options, f"file://{repository.path}", str(tmp_path / name))
    for name, code in (("bare", "no_work_tree"), ("shallow", "history_incomplete")):
        result = run("diff", "--from", "main~1", "--json", "--cwd", str(tmp_path / name))
        assert (result.status, result.json["error"]["code"]) == (3, code)


def test_what_a_terminal_would_obey_is_spelled_out(run: Run, root: Path) -> None:
    write(root, "gate.yaml", GATE.replace("label: s", 'label: "\\e[31mred"'))
    text = run("diff", "--from", "HEAD").out
    assert "label: s -> \\x1b[31mred" in text
    held(run("diff", "--from", "HEAD", "--json"))


def test_long_answers_and_many_facts_are_clipped(run: Run, root: Path, repository: Repository) -> None:
    names = [f"n{number}" for number in range(9)]
    inputs = "\n".join(f"  {name}: {{type: integer, minimum: 0}}" for name in names)
    when = ", ".join(f"{name}: {{gt: 3}}" for name in names)
    wide = table(
        f"hit: first\ninputs:\n{inputs}\noutputs:\n  y: {{type: string}}\nrows:\n"
        f"  - {{id: a, when: {{{when}}}, then: {{y: old}}}}\n  - {{id: b, then: {{y: else}}}}\n",
        "repo.wide",
    )
    write(root, "wide.yaml", wide)
    repository.commit("wide")
    write(root, "wide.yaml", wide.replace("y: old", f"y: {'x' * 200}"))
    lines = run("diff", "--from", "HEAD").out.splitlines()
    assert lines[4] == f"  other     row a   y: old -> {'x' * 57}..."
    assert lines[5].endswith("and 3 more")

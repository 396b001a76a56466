"""``dr-policy replay``: what it says of past decisions that stand in files of JSON lines, and with which status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from jsonschema import Draft202012Validator
from policy_support import overlay, table
from sources_support import write

from toolkit.authoring.past import GROUP
from toolkit.commands import past

SCHEMA = Path(__file__).parents[3] / "docs/schemas/dr-policy.replay.v1.json"
RISK = table(
    """\
    hit: first
    inputs: {lines: {type: integer, minimum: 0}}
    outputs: {tier: {type: term, one_of: [high, low], stronger: [high, low]}}
    rows:
      - {id: large, when: {lines: {gte: 400}}, then: {tier: high}}
      - {id: small, then: {tier: low}}
    """,
    "repo.risk",
)


def line(lines: Any, tier: Any, row: Any, **more: Any) -> dict[str, Any]:
    return {"document": "repo.risk", "facts": {"lines": lines}, "outputs": {"tier": tier}, "row": row, **more}


LARGE, SMALL = line(500, "high", "large"), line(3, "low", "small")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a table of its own."""
    write(tmp_path, "risk.yaml", RISK)
    return tmp_path


def keep(root: Path, *decisions: Any, name: str = "past.jsonl") -> str:
    """A file of decisions, one a line; a text stands as it is."""
    texts = (one if isinstance(one, str) else json.dumps(one) for one in decisions)
    (root / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return name


def edit(root: Path, old: str, new: str) -> None:
    write(root, "risk.yaml", RISK.replace(old, new))


def held(document: Any) -> Any:
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(document)
    return document


def test_decisions_that_would_be_the_same_exit_with_0(run: Run, root: Path) -> None:
    name = keep(root, LARGE, SMALL, "", SMALL)
    result = run("replay", name)
    assert (result.status, result.err) == (0, "")
    assert result.out == (
        "repo.risk: 3 asked, none would change\nnone of 3 past decisions would change (1 log or file)\n"
    )
    document = held(run("replay", name, "--json").json)
    assert (document["ok"], document["complete"], document["changes"], document["empty"]) == (True, True, [], [])
    assert document["total"]["asked"] == document["total"]["same"] == 3


def test_a_change_is_told_with_its_facts_direction_rows_and_places(run: Run, root: Path) -> None:
    name = keep(root, LARGE, SMALL, line(450, "high", "large", times=2), line(450, "high", "large"))
    edit(root, "gte: 400", "gte: 500")
    result = run("replay", name)
    assert result.status == 1
    assert result.out.splitlines() == [
        "repo.risk: 5 asked, 3 would change",
        "  lines=450",
        '    tier "high" -> "low" (weaker), row large -> small',
        "    3 times, in past.jsonl:3, past.jsonl:4",
        "3 of 5 past decisions would change: 3 weaker (1 log or file)",
    ]
    result = run("replay", name, "--json")
    document = held(result.json)
    assert (result.status, document["ok"], document["complete"]) == (1, False, True)
    (change,) = document["changes"]
    assert change == {
        "document": "repo.risk",
        "facts": {"lines": 450},
        "before": {"tier": "high"},
        "after": {"tier": "low"},
        "row_before": "large",
        "row_after": "small",
        "direction": "weaker",
        "times": 3,
        "at": None,
        "places": [{"file": name, "line": number, "record": None} for number in (3, 4)],
    }
    assert document["documents"] == [{"document": "repo.risk", **document["total"]}]


def test_another_row_with_the_same_answer_is_no_change(run: Run, root: Path) -> None:
    name = keep(root, LARGE, line(600, "high", "large"))
    edit(root, "id: large", "id: big")
    result = run("replay", name)
    assert result.status == 0
    assert "  the same answer, row large -> big: 2 times\n" in result.out
    document = held(run("replay", name, "--json").json)
    assert (document["ok"], len(document["renamed"]), document["changes"]) == (True, 2, [])
    assert {one["direction"] for one in document["renamed"]} == {None}


def test_what_can_t_be_asked_again_is_undetermined(run: Run, root: Path) -> None:
    name = keep(root, LARGE, {**SMALL, "document": "repo.gone"}, line(-1, "low", "small"))
    result = run("replay", name)
    assert result.status == 3
    assert "repo.gone: 1 asked, 1 can't be asked again" in result.out
    assert "[unknown_document]" in result.out
    assert "none of 3 past decisions would change; 2 can't be asked again (1 log or file)" in result.out
    document = held(run("replay", name, "--json").json)
    assert (document["ok"], document["complete"]) == (False, False)
    assert [one["code"] for one in document["undecidable"]] == ["unknown_document", "fact_invalid"]


def test_that_something_would_change_is_sure_whatever_could_not_be_asked(run: Run, root: Path) -> None:
    name = keep(root, line(3, "high", "small"), {**SMALL, "document": "repo.gone"})
    assert run("replay", name).status == 1


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("{", "facts_not_json"),
        ("[1]", "facts_not_json"),
        ('{"document": "a", "document": "b"}', "facts_not_json"),
        ({"document": "repo.risk"}, "decision_invalid"),
        (line(3, "low", "small", version="1.0.0"), "decision_invalid"),
        (line(3, "low", None), "decision_invalid"),
        (line(3, "low", "small", times=0), "decision_invalid"),
        ('{"document": "repo.risk", "facts": {"lines": 1e999}, "outputs": {}, "row": "x"}', "decision_invalid"),
        (
            '{"document": "repo.risk", "facts": {"lines": ' + "[" * 500 + "]" * 500 + '}, "outputs": {}, "row": "x"}',
            "decision_invalid",
        ),
        ('{"document": "repo.risk", "facts": ' + "[" * 100_000, "facts_not_json"),
    ],
)
def test_a_line_that_is_no_decision_is_bad_input_with_its_place(run: Run, root: Path, bad: Any, code: str) -> None:
    name = keep(root, SMALL, bad, LARGE)
    result = run("replay", name, "--json")
    document = held(result.json)
    assert result.status == 2
    (problem,) = document["problems"]
    assert problem["code"] == code
    assert problem["place"].startswith(f"{name}:2")
    assert problem["next"]
    assert (document["total"]["asked"], document["complete"]) == (2, False)
    text = run("replay", name)
    assert text.status == 2
    assert f"[{code}]" in text.out


def test_a_bad_line_hides_no_change(run: Run, root: Path) -> None:
    name = keep(root, "{", LARGE)
    assert run("replay", name).status == 2
    edit(root, "gte: 400", "gte: 501")
    result = run("replay", name)
    assert result.status == 1
    assert "[facts_not_json]" in result.out
    document = held(run("replay", name, "--json").json)
    assert (document["total"]["changed"], document["complete"], len(document["problems"])) == (1, False, 1)


def test_a_line_that_is_not_utf_8_is_told(run: Run, root: Path) -> None:
    (root / "past.jsonl").write_bytes(b"\xff\n" + json.dumps(LARGE).encode() + b"\n")
    document = held(run("replay", "past.jsonl", "--json").json)
    assert [one["code"] for one in document["problems"]] == ["facts_not_utf8"]
    assert document["total"]["same"] == 1


def test_a_file_of_nothing_but_other_lines_is_not_read_to_its_end(run: Run, root: Path) -> None:
    name = keep(root, *["x"] * (past.MAX_PROBLEMS + 50))
    result = run("replay", name, "--json")
    codes = [one["code"] for one in held(result.json)["problems"]]
    assert codes == ["facts_not_json"] * past.MAX_PROBLEMS + ["too_many_problems"]
    assert result.status == 2


def test_a_file_over_the_limit_is_refused_whole(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = keep(root, LARGE)
    monkeypatch.setattr(past, "MAX_FILE", 10)
    result = run("replay", name, "--json")
    assert (result.status, held(result.json)["problems"][0]["code"]) == (2, "file_too_large")


def test_nothing_found_is_said_and_is_no_pass(run: Run, root: Path) -> None:
    result = run("replay")
    assert (result.status, result.out) == (
        3,
        "no past decisions were found, so nothing is known of what would change\n",
    )
    document = held(run("replay", "--json").json)
    assert (document["ok"], document["complete"], document["records"]) == (False, False, 0)
    keep(root, "")
    result = run("replay", "past.jsonl")
    assert result.status == 3
    assert "nothing to ask in past.jsonl" in result.out


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("none.jsonl", 2, "not_found"),
        ("none", 2, "not_found"),
        (".dr", 2, "no_decisions_here"),
    ],
)
def test_a_path_that_nobody_knows_is_wrong_usage(run: Run, path: str, status: int, code: str) -> None:
    result = run("replay", path, "--json")
    assert (result.status, result.json["error"]["code"]) == (status, code)
    assert result.json["error"]["next"]


def test_what_is_no_plain_file_does_not_block(run: Run, root: Path) -> None:
    os.mkfifo(root / "pipe.jsonl")
    assert run("replay", "pipe.jsonl", "--json").json["error"]["code"] == "no_decisions_here"
    (root / "folder.jsonl").mkdir()
    assert run("replay", "folder.jsonl", "--json").json["error"]["code"] == "no_decisions_here"


def test_a_broken_set_is_told_before_anything_is_asked(run: Run, root: Path) -> None:
    name = keep(root, LARGE)
    edit(root, "hit: first", "hit: third")
    result = run("replay", name, "--json")
    assert result.status == 2
    assert [problem["document"] for problem in result.json["problems"]] == ["repo.risk"]


def test_several_files_are_one_answer_and_a_path_counts_once(run: Run, root: Path) -> None:
    names = [keep(root, LARGE, name="a.jsonl"), keep(root, LARGE, SMALL, name="b.jsonl")]
    document = held(run("replay", *names, names[0], "--json").json)
    assert (document["records"], document["total"]["asked"]) == (2, 3)


def test_no_record_forges_a_line_or_speaks_to_the_terminal(run: Run, root: Path) -> None:
    evil = "x\nnone of 9 past decisions would change\x1b[2J\u202e"
    name = keep(
        root,
        {**line(3, "high", evil), "facts": {"lines": 3}},
        {"document": evil, "facts": {evil: evil}, "outputs": {evil: evil}, "row": evil},
        {**LARGE, "outputs": {evil: "y" * 100_000}},
    )
    result = run("replay", name)
    assert result.status == 1
    assert not any(shown.startswith("none of 9") for shown in result.out.splitlines())
    assert "\x1b" not in result.out
    assert "\u202e" not in result.out
    assert max(map(len, result.out.splitlines())) < 1000
    held(run("replay", name, "--json").json)


def test_people_are_told_some_of_many_and_how_many_more_there_are(run: Run, root: Path) -> None:
    name = keep(root, *[line(number, "high", "large") for number in range(100)])
    result = run("replay", name)
    assert "  and 80 more changes (--json tells all)" in result.out
    assert len(held(run("replay", name, "--json").json)["changes"]) == 100


def test_the_weakest_changes_are_told_first(run: Run, root: Path) -> None:
    name = keep(root, line(3, "else", "small"), line(3, "high", "small"), line(500, "low", "large"))
    told = [shown for shown in run("replay", name).out.splitlines() if " -> " in shown]
    assert [shown.partition("(")[2].partition(")")[0] for shown in told] == ["weaker", "other", "stronger"]


def test_a_list_of_answers_is_replayed_as_eval_gives_it(run: Run, root: Path) -> None:
    facts = {"files": [{"path": "auth/x.py", "change": "modified", "authored_lines": 1, "added_text": "",
                        "old_mode": "100644", "new_mode": "100644"}]}  # fmt: skip
    answer = run("eval", "review.risk-signals", "--facts", json.dumps(facts), "--json").json
    assert answer["row"]
    name = keep(root, {"document": answer["id"], "facts": facts, "outputs": answer["outputs"], "row": answer["row"]})
    assert run("replay", name).status == 0
    write(root, "signals.yaml", overlay(f"remove: [{answer['row'][0]}]\n", base=answer["id"]))
    document = held(run("replay", name, "--json").json)
    assert [one["direction"] for one in document["changes"]] == ["weaker"]


def test_a_provider_that_can_t_be_loaded_is_told_and_the_answer_is_not_complete(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [EntryPoint("a", "no.such.module:it", GROUP), EntryPoint("b", "toolkit.errors:nothing_there", GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: broken if group == GROUP else [])
    result = run("replay", keep(root, LARGE), "--json")
    assert result.status == 3
    assert [one["code"] for one in held(result.json)["problems"]] == ["provider_broken"] * 2


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> None:
    """A distribution ``keeper-<module>`` for each text of a module, whose function ``it`` is a provider."""
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        metadata = folder / f"keeper_{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: keeper-{name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {name}:it\n")
    monkeypatch.syspath_prepend(str(folder))
    for name in modules:
        monkeypatch.delitem(sys.modules, name, raising=False)


IT = "def it(start, named, policies):\n    "
BROKEN = {
    "leaves": "import sys\nsys.exit(0)\n",
    "unread": "def it(:\n",
    "raises": "raise RuntimeError('no luck')\n",
    "absent": "",
    "nothing": "it = 3\n",
    "late": f"{IT}raise ValueError('too late')\n",
    "leaves_late": f"{IT}raise SystemExit(0)\n",
    "deep": f"{IT}return it(start, named, policies)\n",
    "other_type": f"{IT}return ['x']\n",
    "bad_parts": f"from toolkit.authoring.past import Past\n{IT}return Past((1,))\n",
    "bad_facts": (
        "from toolkit.authoring.past import Origin, Past, PastDecision\n"
        f"{IT}return Past((PastDecision('repo.risk', {{'lines': {{1}}}}, {{}}, 'small', Origin('x')),))\n"
    ),
    "bad_problem": (
        f"from toolkit.authoring.past import Past, PastProblem\n{IT}return Past(problems=(PastProblem(1, 2, 3),))\n"
    ),
    "bad_count": f"from toolkit.authoring.past import Past\n{IT}return Past(records=None)\n",
}
WORKS = (
    "from toolkit.authoring.past import Origin, Past, PastDecision\n"
    f"{IT}return Past((PastDecision('repo.risk', {{'lines': 500}}, {{'tier': 'high'}}, 'large', Origin('kept')),),"
    " records=1)\n"
)


@pytest.mark.parametrize("name", BROKEN)
def test_a_faulty_provider_is_named_and_costs_nothing_but_its_own_answer(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    install(tmp_path / "site", monkeypatch, **{name: BROKEN[name], "works": WORKS})
    result = run("replay", "--json")
    document = held(result.json)
    assert result.status == 3
    (problem,) = document["problems"]
    assert problem["code"] == "provider_broken"
    assert f"{name} = {name}:it (keeper-{name} 1.0)" in problem["message"]
    assert problem["next"]
    assert (document["total"]["same"], document["complete"]) == (1, False)
    edit(root, "gte: 400", "gte: 501")
    text = run("replay")
    assert text.status == 1
    assert "[provider_broken]" in text.out


def test_a_path_that_only_a_faulty_provider_may_know_is_not_called_unknown(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, raises=BROKEN["raises"], late=BROKEN["late"])
    name = keep(root, LARGE)
    result = run("replay", ".dr", name, "--json")
    document = held(result.json)
    assert result.status == 3
    assert sorted(one["code"] for one in document["problems"]) == ["provider_broken"] * 2
    assert document["total"]["same"] == 1


def test_what_a_provider_refuses_by_the_rules_keeps_its_code_and_the_rest_is_answered(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses = f"from toolkit.errors import UndeterminedError\n{IT}raise UndeterminedError('no_disk', 'gone')\n"
    install(tmp_path / "site", monkeypatch, refuses=refuses, works=WORKS)
    result = run("replay", "--json")
    document = held(result.json)
    assert (result.status, [one["code"] for one in document["problems"]]) == (3, ["no_disk"])
    assert document["total"]["same"] == 1


def test_the_other_commands_load_nothing_of_this(root: Path) -> None:
    script = (
        "import sys\nfrom toolkit.commands.main import main\nsys.argv = ['dr-policy', 'list']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('loaded:', *sorted(name for name in sys.modules if 'past' in name or 'replaying' in name or "
        "name.startswith(('verify', 'importlib.metadata'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"

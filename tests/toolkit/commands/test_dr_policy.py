"""``dr-policy``: what it prints, what it answers with, and that every failure is one clear message."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from policy_support import head, overlay, table
from sources_support import LAYER_FOLDER

from toolkit.commands import evaluate, facts

PROGRAM = Path(sys.executable).parent / "dr-policy"
FITS = '{"forecast": 1, "spent": 2, "budget": 3}'
EXCEEDS = '{"forecast": 2, "spent": 2, "budget": 3}'

RISK = table(
    "hit: first\ninputs: {path: {type: path}, note: {type: text, optional: true}}\n"
    "outputs: {tier: {type: string}}\nrows:\n"
    "  - {id: secret, when: {path: {glob: ['secret/**']}}, then: {error: cannot-tell}}\n"
    "  - {id: auth, source: the auth rule, when: {path: {glob: ['auth/**']}}, then: {tier: high}}\n"
    "  - {id: else, then: {tier: 'не важно'}}\n",
    "repo.risk",
)
SIGNALS = RISK.replace("hit: first", "hit: collect").replace("repo.risk", "repo.signals").replace("id: secret", "id: s")
EACH = table(
    "hit: first\neach: findings\n"
    "inputs: {findings: {type: list, items: {type: record, fields: {n: {type: integer}}}}}\n"
    "outputs: {y: {type: boolean}}\nrows:\n"
    "  - {id: big, when: {n: {gte: 5}}, then: {y: true}}\n  - {id: small, then: {y: false}}\n",
    "repo.each",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with three tables of its own."""
    layer = tmp_path / LAYER_FOLDER
    layer.mkdir(parents=True)
    for name, text in (("risk", RISK), ("signals", SIGNALS), ("each", EACH)):
        (layer / f"{name}.yaml").write_text(text)
    return tmp_path


def one_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


# eval.


def test_an_answer_has_these_keys_and_no_others(run: Run) -> None:
    result = run("eval", "review.forecast", "--facts", FITS, "--json")
    assert result.status == 0
    assert result.json == {
        "schema": "dr-policy.eval/v1",
        "id": "review.forecast",
        "version": "1.0.0",
        "outputs": {"decision": "proceed"},
        "row": "fits",
        "layer": "shipped",
        "trace": None,
    }
    assert result.err == ""


def test_json_has_its_keys_sorted_and_says_which_layer_decided(run: Run) -> None:
    result = run("eval", "repo.risk", "--facts", '{"path": "auth/x", "note": null}', "--json")
    assert list(result.json) == sorted(result.json)
    assert (result.json["layer"], result.json["row"]) == ("repository", "auth")


def test_a_table_with_many_answers_gives_lists(run: Run) -> None:
    result = run("eval", "repo.signals", "--facts", '{"path": "auth/x", "note": null}', "--json")
    assert result.json["outputs"] == [{"tier": "high"}, {"tier": "не важно"}]
    assert result.json["row"] == ["auth", "else"]
    assert result.json["layer"] == ["repository", "repository"]
    result = run("eval", "repo.each", "--facts", '{"findings": [{"n": 1}, {"n": 9}]}', "--json")
    assert result.json["outputs"] == [{"item": 0, "y": False}, {"item": 1, "y": True}]
    assert result.json["row"] == ["small", "big"]
    result = run("eval", "repo.each", "--facts", '{"findings": []}', "--json", "--explain")
    assert (result.json["outputs"], result.json["row"], result.json["trace"]) == ([], [], [])


def test_a_trace_comes_with_an_answer_that_it_does_not_change(run: Run) -> None:
    plain = run("eval", "review.forecast", "--facts", FITS, "--json").json
    told = run("eval", "review.forecast", "--facts", FITS, "--json", "--explain").json
    trace = told.pop("trace")
    assert {**told, "trace": None} == plain
    assert set(trace) == {"item", "lets", "near_misses", "refusal", "rows"}
    assert trace["lets"] == {"left": 0}
    assert [row["outcome"] for row in trace["rows"]] == ["matched", "failed"]
    each = run("eval", "repo.each", "--facts", '{"findings": [{"n": 1}, {"n": 9}]}', "--json", "--explain").json
    assert [one["item"] for one in each["trace"]] == [0, 1]


def test_people_get_one_line_for_an_answer(run: Run) -> None:
    assert one_line(run("eval", "review.forecast", "--facts", FITS).out) == '{"decision": "proceed"}   row fits'
    assert "не важно" in run("eval", "repo.risk", "--facts", '{"path": "x", "note": null}').out
    assert "empty list" in run("eval", "repo.each", "--facts", '{"findings": []}').out


@pytest.mark.parametrize(
    ("given", "status", "code"),
    [
        ('{"path": "x"}', 2, "fact_missing"),
        ('{"path": "x", "note": null, "extra": 1}', 2, "fact_unknown"),
        ('{"path": 1, "note": null}', 2, "fact_invalid"),
        ('{"path": 1.0, "note": null}', 2, "fact_invalid"),
        ('{"path": "\\ud800", "note": null}', 2, "fact_invalid"),
        ('{"path": "secret/x", "note": null}', 3, "cannot-tell"),
        ('{"path": "x", "path": "secret/x", "note": null}', 2, "facts_not_json"),
        ("{", 2, "facts_not_json"),
        ("", 2, "facts_not_json"),
        ("[]", 2, "facts_not_json"),
        ("null", 2, "facts_not_json"),
        ('{"path": NaN, "note": null}', 2, "facts_not_json"),
        ('{"path": -Infinity, "note": null}', 2, "facts_not_json"),
        ('{"path": ' + "9" * 5000 + ', "note": null}', 2, "facts_not_json"),
        ('{"path": 99999999999999999999, "note": null}', 2, "fact_invalid"),
        ('{"path": 1e999, "note": null}', 2, "fact_invalid"),
        ('{"path": ' + "[" * 100_000 + "]" * 100_000 + ', "note": null}', 2, "facts_not_json"),
        ("@missing.json", 2, "facts_unreadable"),
        ("@.", 2, "facts_unreadable"),
        ("@", 2, "facts_unreadable"),
        ("@a\x00b", 2, "facts_unreadable"),
    ],
)
def test_bad_facts_are_refused_with_a_code_and_a_status(run: Run, given: str, status: int, code: str) -> None:
    told = run("eval", "repo.risk", "--facts", given)
    assert (told.status, told.out) == (status, "")
    assert f"[{code}]" in told.err
    result = run("eval", "repo.risk", "--facts", given, "--json")
    assert (result.status, result.err) == (status, "")
    assert result.json["schema"] == "dr-policy.error/v1"
    assert set(result.json["error"]) == {"code", "message", "next", "place"}
    assert result.json["error"]["code"] == code


def test_facts_that_stand_twice_are_named(run: Run) -> None:
    message = run("eval", "repo.risk", "--facts", '{"path": "x", "note": null, "path": "y"}', "--json").json["error"]
    assert "'path' stands twice" in message["message"]
    nested = run("eval", "repo.each", "--facts", '{"findings": [{"n": 1, "n": 9}]}', "--json").json["error"]
    assert "'n' stands twice" in nested["message"]


def test_a_million_keys_of_which_one_stands_twice_are_refused(run: Run, root: Path) -> None:
    pairs = [f'"k{number}": 1' for number in range(200_000)]
    (root / "facts.json").write_text("{" + ", ".join([*pairs, '"k199999": 2']) + "}")
    assert "'k199999' stands twice" in run("eval", "repo.risk", "--facts", "@facts.json").err
    (root / "facts.json").write_text("{" + ", ".join(pairs) + "}")
    refusal = run("eval", "repo.risk", "--facts", "@facts.json")
    assert refusal.status == 2
    assert len(refusal.err) < 10_000


def test_facts_may_stand_in_a_file(run: Run, root: Path) -> None:
    (root / "facts.json").write_text(FITS)
    assert run("eval", "review.forecast", "--facts", "@facts.json", "--json").json["row"] == "fits"
    (root / "deep").mkdir()
    (root / "deep" / "facts.json").write_text(EXCEEDS)
    result = run("eval", "review.forecast", "--facts", "@facts.json", "--json", "--cwd", "deep")
    assert result.json["row"] == "exceeds"


@pytest.mark.parametrize(("content", "code"), [(b"\xff", "facts_not_utf8"), (b"\xef\xbb\xbf{}", "facts_not_json")])
def test_a_file_that_is_no_json_is_named_with_its_place(run: Run, root: Path, content: bytes, code: str) -> None:
    (root / "facts.json").write_bytes(content)
    error = run("eval", "repo.risk", "--facts", "@facts.json", "--json").json["error"]
    assert error["code"] == code
    assert "facts.json" in error["place"]


def test_facts_have_a_bounded_size(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "MAX_FACTS", 100)
    text = '{"path": "x", "note": null}'
    (root / "facts.json").write_text(text + " " * (100 - len(text)))
    assert run("eval", "repo.risk", "--facts", "@facts.json").status == 0
    (root / "facts.json").write_text(text + " " * (101 - len(text)))
    assert run("eval", "repo.risk", "--facts", "@facts.json", "--json").json["error"]["code"] == "facts_too_large"


@pytest.mark.parametrize("arguments", [(), ("--facts", "{}", "--facts-lines", "-")])
def test_eval_takes_facts_in_one_way(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("eval", "repo.risk", *arguments)
    assert result.status == 2
    assert "--facts-lines" in result.err


# eval, a line at a time.


def test_each_line_has_an_answer_or_an_error_of_its_own(run: Run) -> None:
    lines = [FITS, "", "{", EXCEEDS, '{"forecast": 1}', "  "]
    result = run(
        "eval", "review.forecast", "--facts-lines", "-", stdin="\n".join(lines).encode() + b"\n\xff\n" + FITS.encode()
    )
    assert result.status == 2
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert [one["line"] for one in answers] == [1, 3, 4, 5, 7, 8]
    assert [one.get("row") for one in answers] == ["fits", None, "exceeds", None, None, "fits"]
    assert [one["error"]["code"] for one in answers if "error" in one] == [
        "facts_not_json",
        "fact_missing",
        "facts_not_utf8",
    ]
    assert set(answers[0]) == {"line", "id", "version", "outputs", "row", "layer", "trace"}
    assert set(answers[1]) == {"line", "error"}
    assert answers[1]["error"]["place"].startswith("<stdin>:3")


def test_the_status_is_the_gravest_of_all_lines(run: Run, root: Path) -> None:
    good, bad, declined = '{"path": "x", "note": null}', "{}", '{"path": "secret/x", "note": null}'
    for lines, status in (([good], 0), ([good, bad], 2), ([declined, bad, good], 3), ([], 0)):
        (root / "facts.jsonl").write_text("\n".join(lines))
        assert run("eval", "repo.risk", "--facts-lines", "facts.jsonl").status == status


def test_a_line_that_is_too_long_is_refused_and_the_next_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "MAX_FACTS", 100)
    lines = b"\n".join([b"x" * 1000, b'{"path": "x", "note": null}', b"y" * 101, b"z" * 250])
    result = run("eval", "repo.risk", "--facts-lines", "-", stdin=lines)
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert [(one["line"], one.get("error", {}).get("code")) for one in answers] == [
        (1, "facts_too_large"),
        (2, None),
        (3, "facts_too_large"),
        (4, "facts_too_large"),
    ]


def test_each_line_may_be_explained(run: Run) -> None:
    result = run("eval", "review.forecast", "--facts-lines", "-", "--explain", stdin=FITS.encode())
    line = one_line(result.out)
    assert json.loads(line)["trace"]["lets"] == {"left": 0}
    assert json.dumps(json.loads(line), sort_keys=True) == line
    single = run("eval", "review.forecast", "--facts", FITS, "--explain", "--json")
    assert json.loads(line)["trace"] == single.json["trace"]


# explain.


def test_an_explanation_is_told_to_people(run: Run) -> None:
    result = run("explain", "repo.risk", "--facts", '{"path": "auth/x", "note": "a\\u001b[31m\\nb"}')
    assert result.status == 0
    assert result.out.startswith('repo.risk answers tier "high": row auth decided, because path is "auth/x"')
    assert "  row auth: repository layer, .dr/policies/risk.yaml:12\n  source: the auth rule\n" in result.out
    assert '  secret: no, path is "auth/x", asked: matches secret/**\n' in result.out
    assert "  1 row after it was not tried\n" in result.out
    assert '  path matches secret/** (such as "secret/x") -> row secret, which declines' in result.out
    assert "\x1b" not in result.out


def test_an_explanation_has_these_keys_in_json(run: Run) -> None:
    document = run("explain", "repo.each", "--facts", '{"findings": [{"n": 1}, {"n": 9}]}', "--json").json
    assert set(document) == {"schema", "id", "version", "explanations"}
    assert [one["item"] for one in document["explanations"]] == [0, 1]
    assert document["explanations"][1]["decisions"] == [{"outputs": {"item": 1, "y": True}, "row": "big"}]


def test_a_table_that_declines_is_explained_with_its_status(run: Run) -> None:
    given = '{"path": "secret/x", "note": null}'
    told = run("explain", "repo.risk", "--facts", given)
    assert told.status == 3
    assert told.out.startswith("repo.risk declines to decide (cannot-tell): row secret says so, because path is")
    result = run("explain", "repo.risk", "--facts", given, "--json")
    assert result.status == 3
    assert result.json["explanations"][0]["refusal"]["code"] == "cannot-tell"


def test_bad_facts_of_an_explanation_are_refused_as_by_eval(run: Run) -> None:
    for given in ("{}", '{"findings": null}'):
        assert run("explain", "repo.each", "--facts", given).status == 2
    empty = run("explain", "repo.each", "--facts", '{"findings": []}')
    assert (empty.status, one_line(empty.out)) == (0, "(no items, so no decisions)")


# show, list and check.


def test_every_document_is_listed_with_its_digest(run: Run) -> None:
    documents = run("list", "--json").json["documents"]
    assert [one["id"] for one in documents] == sorted(one["id"] for one in documents)
    found = {one["id"]: one for one in documents}
    assert found["repo.risk"]["layer"] == "repository"
    assert found["review.forecast"]["digest"].startswith("sha256:")
    assert set(found["repo.risk"]) == {"digest", "id", "kind", "layer", "overlays", "title", "version"}
    assert "repo.risk" in run("list").out


@pytest.mark.parametrize("document", ["review.forecast", "verify.severity", "verify.limits", "repo.risk", "repo.each"])
def test_every_kind_of_document_is_shown(run: Run, document: str) -> None:
    told = run("show", document)
    assert told.status == 0
    assert told.out.startswith(f"{document} 1.0.0")
    assert run("show", document, "--json").json["document"]["id"] == document


def test_an_overlaid_document_is_shown_as_it_is_in_force(run: Run, root: Path) -> None:
    (root / LAYER_FOLDER / "limits.yaml").write_text(overlay("set: {/max_iter: 7}\n", base="verify.limits"))
    told = run("show", "verify.limits").out
    assert "overlaid by  .dr/policies/limits.yaml" in told
    assert "max_iter: 7" in told


def test_a_title_can_t_talk_to_the_terminal(run: Run, root: Path) -> None:
    text = head("vocabulary", "repo.words").replace("title: A document", 'title: "red \\e[31m\\u202e"')
    (root / LAYER_FOLDER / "words.yaml").write_text(text + "terms: [{term: a}]\n")
    for arguments in (("list",), ("show", "repo.words"), ("list", "--json"), ("show", "repo.words", "--json")):
        out = run(*arguments).out
        assert "red " in out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_a_document_that_is_not_there_comes_with_the_nearest(run: Run) -> None:
    for command in (("show",), ("eval", "--facts", "{}"), ("explain", "--facts", "{}")):
        result = run(*command, "review.forcast")
        assert result.status == 2
        assert "did you mean 'review.forecast'?" in result.err
    assert run("eval", "verify.severity", "--facts", "{}", "--json").json["error"]["code"] == "wrong_kind"


def test_a_good_layer_is_checked(run: Run) -> None:
    assert run("check").out.startswith("ok: ")
    document = run("check", "--json").json
    assert (document["ok"], document["problems"]) == (True, [])
    assert ".dr/policies/risk.yaml" in document["repository_files"]


def test_a_bad_layer_is_told_with_every_problem_and_its_place(run: Run, root: Path) -> None:
    (root / LAYER_FOLDER / "bad.yaml").write_text(
        RISK.replace("repo.risk", "repo.bad").replace("hit: first", "hit: frist")
    )
    (root / LAYER_FOLDER / "worse.yaml").write_text("a: no\n")
    told = run("check")
    assert told.status == 1
    first, second = told.out.splitlines()
    assert first == ".dr/policies/bad.yaml:7:6: unknown_word: hit can't be 'frist' (did you mean 'first'?) [repo.bad]"
    assert second.startswith(".dr/policies/worse.yaml:1:4: ambiguous_scalar: no unquoted may be read as ")
    result = run("check", "--json")
    assert (result.status, result.json["ok"]) == (1, False)
    first = result.json["problems"][0]
    assert set(first) == {"code", "column", "document", "file", "hint", "line", "message"}
    assert (first["file"], first["line"], first["column"], first["document"]) == (
        ".dr/policies/bad.yaml",
        7,
        6,
        "repo.bad",
    )


def test_other_commands_refuse_a_bad_layer_with_every_problem(run: Run, root: Path) -> None:
    (root / LAYER_FOLDER / "bad.yml").write_text(RISK)
    (root / LAYER_FOLDER / "worse.yaml").write_text("a: no\n")
    told = run("list")
    assert told.status == 2
    assert len(told.err.splitlines()) == 2
    result = run("list", "--json")
    assert (result.status, len(result.json["problems"])) == (2, 2)


def test_the_layer_is_found_from_below_and_by_cwd(
    run: Run, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (root / "a" / "b").mkdir(parents=True)
    assert run("show", "repo.risk", "--cwd", str(root / "a" / "b")).status == 0
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / ".git").mkdir()
    assert run("show", "repo.risk", "--cwd", str(elsewhere)).status == 2


# Failures of every kind.


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("eval",), ("eval", "--nope"), ("show",), ("list", "extra"), ("check", "--cwd", "/does/not/exist")],
)
def test_wrong_usage_is_told_and_exits_2(run: Run, arguments: tuple[str, ...]) -> None:
    told = run(*arguments)
    assert (told.status, told.out) == (2, "")
    assert told.err
    result = run(*arguments, "--json")
    assert result.status == 2
    assert result.json["error"]["code"] == "usage"


@pytest.mark.parametrize("arguments", [("-h",), ("--help",), ("eval", "-h"), ("explain", "--help"), ("--version",)])
def test_help_is_there_for_every_command(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.status == 0
    assert "dr-policy" in result.out


def test_every_command_is_described(run: Run) -> None:
    told = run("-h").out
    for command in ("check", "eval", "explain", "list", "show"):
        assert f"  {command} " in told


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (ValueError("surprise \ud800\x1b[31m"), "internal_error"),
        (AssertionError(), "internal_error"),
        (KeyError("x"), "internal_error"),
        (RecursionError("deep"), "out_of_resources"),
        (MemoryError(), "out_of_resources"),
        (OSError(28, "No space left on device"), "io_error"),
    ],
)
def test_a_failure_that_nobody_expected_is_told_in_one_message(
    run: Run, monkeypatch: pytest.MonkeyPatch, failure: Exception, code: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(evaluate, "load_policies", fail)
    told = run("eval", "repo.risk", "--facts", "{}")
    assert (told.status, told.out) == (3, "")
    assert f"[{code}]" in told.err
    assert "--debug" in told.err
    assert "\x1b" not in told.err
    result = run("eval", "repo.risk", "--facts", "{}", "--json")
    assert (result.status, result.json["error"]["code"]) == (3, code)
    with pytest.raises(type(failure)):
        run("eval", "repo.risk", "--facts", "{}", "--debug")


def test_an_interruption_has_the_status_of_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "load_policies", interrupt)
    assert run("eval", "repo.risk", "--facts", "{}").status == 130


# The installed program.


def installed(*arguments: str | bytes, cwd: Path, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, timeout=60, check=False, **more)


def test_the_installed_program_answers(root: Path) -> None:
    done = installed("eval", "review.forecast", "--facts", FITS, "--json", cwd=root)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["row"] == "fits"


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_output_is_utf_8_on_every_locale(root: Path, locale: str) -> None:
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = installed("eval", "repo.risk", "--facts", '{"path": "x", "note": null}', cwd=root, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "не важно" in done.stdout.decode()


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_arguments_that_are_no_text_are_refused_in_valid_utf_8(root: Path, extra: tuple[str, ...]) -> None:
    for arguments in (
        (b"eval", b"repo.risk", b"--facts", b'{"path": "\xff\xfe", "note": null}'),
        (b"eval", b"repo.risk", b"--facts", b'{"\xff": 1}'),
        (b"eval", b"repo.risk", b"--facts", b"@\xff"),
        (b"eval", b"\xff", b"--facts", b"{}"),
        (b"\xff",),
        (b"eval", b"--\xff"),
    ):
        done = installed(*arguments, *extra, cwd=root)
        assert done.returncode == 2, arguments
        assert b"Traceback" not in done.stderr
        done.stderr.decode("utf-8", "strict")
        if extra:
            assert json.loads(done.stdout.decode("utf-8", "strict"))["error"]["code"]


def test_a_reader_that_goes_away_ends_the_program_quietly(root: Path) -> None:
    lines = (b'{"path": "x", "note": null}\n') * 20_000
    (root / "facts.jsonl").write_bytes(lines)
    program = subprocess.Popen(
        [PROGRAM, "eval", "repo.risk", "--facts-lines", "facts.jsonl"],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stderr is not None
    assert json.loads(program.stdout.readline())["row"] == "else"
    program.stdout.close()
    assert program.stderr.read() == b""
    program.stderr.close()
    assert program.wait(timeout=60) == 3


@pytest.mark.parametrize("extra", [(), ("--json",)])
@pytest.mark.parametrize("target", ["full", "closed"])
def test_an_output_that_can_t_be_written_is_no_answer(root: Path, target: str, extra: tuple[str, ...]) -> None:
    redirect = ">/dev/full" if target == "full" else ">&-"
    script = f'exec "$0" eval review.forecast --facts "$1" "${{@:2}}" {redirect}'
    done = subprocess.run(
        ["bash", "-c", script, str(PROGRAM), FITS, *extra], cwd=root, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    script = f'exec "$0" -h {redirect}'
    done = subprocess.run(["bash", "-c", script, str(PROGRAM)], cwd=root, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in done.stderr

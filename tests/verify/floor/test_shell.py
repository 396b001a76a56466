"""The check ``shellcheck``: real scripts, the real program, and programs that misbehave in its place."""

from __future__ import annotations

import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import POLICY_LAYER
from repository_support import Repository

from toolkit.policy.loading.shaped import validator_of
from toolkit.policy.sets import PolicySet
from toolkit.repository.names import on_one_line
from toolkit.shipped import shipped_shapes
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.shell.batches import balanced
from verify.floor.shell.judging import begin, shellcheck
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task

TASK = "ABC-0001"
REAL = Path(sys.executable).parent / "shellcheck"
CLEAN = "#!/bin/sh\necho clean\n"
UNSAFE = '#!/bin/bash\nfor file in $(ls "$1"); do\n  cd "$file"\ndone\n'
PROCESSORS = len(os.sched_getaffinity(0))


class Policies:
    """The shipped policies with some limits replaced."""

    def __init__(self, policies: PolicySet, limits: Mapping[str, object]) -> None:
        self._policies = policies
        self._limits = limits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policies, name)

    def data(self, document: str) -> Any:
        value = self._policies.data(document)
        return {**value, **self._limits} if document == "verify.limits" else value


@dataclass
class Floor:
    """A workspace with one task, and the check run on it."""

    root: Path
    policies: PolicySet
    entry: CheckEntry
    framework_root: Path | None = None

    def script(self, name: str, content: str = UNSAFE) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def plan(self, text: str) -> None:
        (self.root / f"datarim/plans/{TASK}-plan.md").write_text(text)

    def with_parameters(self, **parameters: object) -> Floor:
        entry = self.entry._replace(parameters={**self.entry.parameters, **parameters})
        return replace(self, entry=entry)

    def with_limits(self, **limits: object) -> Floor:
        return replace(self, policies=cast(PolicySet, Policies(self.policies, limits)))

    def context(self) -> FloorContext:
        task = load_task(find_workspace(self.root), TASK, self.policies)
        return FloorContext(task, "do", self.policies, self.framework_root)

    def run(self) -> CheckResult:
        context = self.context()
        begin(self.entry, context)
        return shellcheck(self.entry, context)


@pytest.fixture
def floor(tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch) -> Floor:
    root = tmp_path / "workspace"
    for directory in ("tasks", "plans", "prd"):
        (root / "datarim" / directory).mkdir(parents=True)
    (root / f"datarim/tasks/{TASK}-task-description.md").write_text(f"---\nid: {TASK}\ncomplexity: L3\n---\n# Task\n")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    checks = policies.data("verify.floor")["checks"]
    record = next(check for check in checks if check["id"] == "shellcheck")
    entry = CheckEntry("shellcheck", "shellcheck", "low", record["category"], tuple(record["stages"]), record["with"])
    return Floor(root, policies, entry)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the program is looked for first: beside the interpreter, which seems to stand in another directory."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    return tmp_path / "bin/shellcheck"


@pytest.fixture
def program(tmp_path: Path, beside: Path) -> Callable[[str], str]:
    """Makes a program in shellcheck's place: it tells the version, notes that it was called, and does as it is told."""

    def make(script: str) -> str:
        path = beside
        path.write_text(
            f"#!/bin/sh\necho \"$*\" >> '{tmp_path}/calls'\n"
            f"[ \"$1\" = --version ] && echo 'version: 0.0.1' && exit 0\nreal={REAL}\n{script}\n"
        )
        path.chmod(0o755)
        return path.name

    return make


def calls(tmp_path: Path) -> list[str]:
    """The calls that judged since the last time."""
    log = tmp_path / "calls"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return [line for line in lines if line != "--version"]


def briefly(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(each.artifact_ref, each.severity, (each.suggested_fix or "").split(":")[0]) for each in findings]


# --- what is found ---------------------------------------------------------------------------------------------------


def test_errors_are_high_and_warnings_are_medium_in_a_stable_order(floor: Floor) -> None:
    floor.script("scripts/b.sh")
    floor.script("dev-tools/a.sh")
    result = floor.run()
    assert result.status == "ran"
    assert briefly(result.findings) == [
        ("dev-tools/a.sh:2", "high", "SC2045"),
        ("dev-tools/a.sh:3", "medium", "SC2164"),
        ("scripts/b.sh:2", "high", "SC2045"),
        ("scripts/b.sh:3", "medium", "SC2164"),
    ]
    assert {(each.category, each.check_name, each.source_layer) for each in result.findings} == {
        ("safety", "shellcheck", "floor")
    }


def test_a_finding_quotes_its_line_and_says_what_shellcheck_says(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    finding = floor.run().findings[0]
    assert finding.evidence.type == "file_quote"
    assert finding.evidence.source == "scripts/a.sh:2"
    assert finding.evidence.excerpt == 'for file in $(ls "$1"); do'
    assert finding.suggested_fix == "SC2045: Iterating over ls output is fragile. Use globs."


def test_every_quotation_is_found_again(floor: Floor) -> None:
    scripts = {
        "a.sh": UNSAFE,
        "long.sh": "#!/bin/bash\n    cd " + "x" * 500 + "\n",
        "bom.sh": "\ufeff" + UNSAFE,
        "crlf.sh": UNSAFE.replace("\n", "\r\n"),
    }
    for name, content in scripts.items():
        floor.script(f"scripts/{name}", content)
    result = floor.run()
    checker = QuoteChecker(floor.context().task.workspace, FindingLimits.from_policy(floor.policies))
    quoted = [each for each in result.findings if each.evidence.type == "file_quote"]
    assert {each.artifact_ref.split(":")[0] for each in quoted} == {f"scripts/{name}" for name in scripts}
    for each in quoted:
        assert checker.check(str(each.evidence.source), str(each.evidence.excerpt), "floor") == (True, None)
        assert len(str(each.evidence.excerpt)) <= 200


def test_a_line_too_short_to_prove_anything_is_not_quoted(floor: Floor) -> None:
    floor.script("scripts/a.sh", "#!/bin/bash\ncd x\n")
    evidence = floor.run().findings[0].evidence
    assert (evidence.type, evidence.source) == ("test_output", "shellcheck SC2164")
    assert "cd" in str(evidence.excerpt)


def test_a_line_that_is_not_utf_8_is_not_quoted(floor: Floor) -> None:
    floor.script("scripts/a.sh", "").write_bytes(b"#!/bin/bash\ncd /caf\xe9/menu/of/the/day\n")
    assert [each.evidence.type for each in floor.run().findings] == ["test_output"]


def test_an_unknown_shell_and_a_missing_shebang_are_never_high(floor: Floor) -> None:
    floor.script("scripts/fish.sh", "#!/usr/bin/fish\necho hello world\n")
    floor.script("scripts/none.sh", "echo hello world\n")
    assert briefly(floor.run().findings) == [
        ("scripts/fish.sh:1", "medium", "SC1071"),
        ("scripts/none.sh:1", "medium", "SC2148"),
    ]


def test_what_is_below_a_warning_is_not_reported_even_if_it_is_asked_for(floor: Floor) -> None:
    floor.script("scripts/a.sh", '#!/bin/bash\nnow=`date`\necho $1 "$now"\n')
    options = ["--norc", "--severity=style", "--format=json1"]
    assert floor.with_parameters(options=options).run() == CheckResult(
        "ran", "1 script: 0 from the cache, 1 checked; shellcheck 0.11.0"
    )


def test_no_scripts_is_nothing_to_run_and_starts_nothing(floor: Floor) -> None:
    floor.script("scripts/readme.md")
    result = floor.with_parameters(program="no-such-program").run()
    assert result == CheckResult("nothing-to-run", "the task cites no scripts, and none stand in dev-tools or scripts")


# --- which scripts ---------------------------------------------------------------------------------------------------


def test_names_that_a_shell_would_split_or_an_option_parser_would_take_are_judged(floor: Floor) -> None:
    names = ["my script.sh", "-rf.sh", "--help.sh", "new\nline.sh", "bad\udcff.sh", '"quoted".sh', "имя.sh", "$(x).sh"]
    for name in names:
        floor.script(f"scripts/{name}")
    result = floor.run()
    assert result.status == "ran"
    assert result.detail.startswith(f"{len(names)} scripts: ")
    assert {each.artifact_ref for each in result.findings if each.severity == "high"} == {
        "scripts/my script.sh:2",
        "scripts/-rf.sh:2",
        "scripts/--help.sh:2",
        '"scripts/new\\nline.sh":2',
        '"scripts/bad\\377.sh":2',
        'scripts/"quoted".sh:2',
        "scripts/имя.sh:2",
        "scripts/$(x).sh:2",
    }
    json.dumps([each.to_json() for each in result.findings], ensure_ascii=False).encode()


def test_directories_are_searched_to_their_bottom_for_the_configured_extensions_in_any_case(floor: Floor) -> None:
    for name in ("a.sh", "x/y/z/b.bash", "x/c.KSH", "x.sh/d.dash", "no.txt", "e.sh.bak"):
        floor.script(f"scripts/{name}")
    found = {each.artifact_ref.rsplit(":", 1)[0] for each in floor.run().findings}
    assert found >= {"scripts/a.sh", "scripts/x/y/z/b.bash", "scripts/x/c.KSH", "scripts/x.sh/d.dash"}
    assert not found & {"scripts/no.txt", "scripts/e.sh.bak"}


def scripts_of(result: CheckResult) -> set[str]:
    return {each.artifact_ref.rsplit(":", 1)[0] for each in result.findings}


def test_links_out_of_the_roots_and_to_nothing_are_said_and_not_followed(floor: Floor, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.sh").write_text(UNSAFE)
    floor.script("scripts/a.sh", CLEAN)
    (floor.root / "scripts/link.sh").symlink_to(outside / "x.sh")
    (floor.root / "scripts/.#a.sh").symlink_to("somebody@somewhere.7")
    (floor.root / "scripts/ring").symlink_to("ring")
    (floor.root / "dev-tools").symlink_to(outside)
    result = floor.run()
    assert (result.status, result.findings) == ("ran", ())
    assert result.detail.endswith(
        "; 4 symbolic links not followed: dev-tools, scripts/link.sh (out of the roots), "
        "scripts/.#a.sh, scripts/ring (to nothing)"
    )


def test_links_that_stay_in_the_roots_are_followed_and_no_script_is_judged_twice(floor: Floor) -> None:
    floor.script("code/scripts/a.sh")
    floor.script("code/scripts/deep/b.sh")
    floor.script("code/one.sh")
    floor.script("code/plain.txt")
    (floor.root / "scripts").mkdir()
    (floor.root / "scripts/lib").symlink_to("../code/scripts")
    (floor.root / "scripts/again").symlink_to("../code/scripts/deep")
    (floor.root / "scripts/one.sh").symlink_to("../code/one.sh")
    (floor.root / "scripts/by-its-link.sh").symlink_to("../code/plain.txt")
    (floor.root / "dev-tools").symlink_to("code/scripts")
    result = floor.run()
    assert scripts_of(result) == {"code/scripts/a.sh", "code/scripts/deep/b.sh", "code/one.sh", "code/plain.txt"}
    assert len(result.findings) == 8
    assert result.detail == "4 scripts: 0 from the cache, 4 checked; shellcheck 0.11.0"


def test_a_loop_of_links_ends(floor: Floor) -> None:
    floor.script("scripts/deep/a.sh")
    (floor.root / "scripts/loop").symlink_to(".")
    (floor.root / "scripts/deep/up").symlink_to("..")
    (floor.root / "scripts/whole").symlink_to(floor.root)
    assert [each.artifact_ref for each in floor.run().findings] == ["scripts/deep/a.sh:2", "scripts/deep/a.sh:3"]


@pytest.mark.parametrize(
    "shebang", ["#!/bin/bash", "#! /bin/sh -e", "#!/usr/bin/env -S bash -e", "#!/usr/bin/env X=1 ksh"]
)
def test_a_script_without_an_extension_is_known_by_its_first_line(floor: Floor, shebang: str) -> None:
    script = f'{shebang}\nfor file in $(ls "$1"); do :; done\n'
    floor.script("scripts/tool", script)
    floor.script("libexec/cited", script)
    floor.script("libexec/not-cited", script)
    (floor.root / "dev-tools").mkdir()
    (floor.root / "dev-tools/linked").symlink_to("../libexec/linked.in")
    floor.script("libexec/linked.in", script)
    floor.plan("# Plan\n\n1. Change `libexec/cited` and `origin/main`.\n")
    assert scripts_of(floor.run()) == {"scripts/tool", "libexec/cited", "libexec/linked.in"}


def test_what_no_shell_runs_is_no_script(floor: Floor) -> None:
    floor.script("scripts/README", "for file in $(ls); do :; done\n")
    floor.script("scripts/python", "#!/usr/bin/env python3\n# bash\n")
    floor.script("scripts/late", "\n#!/bin/sh\ncd x\n")
    floor.script("scripts/data.txt", UNSAFE)
    floor.script("scripts/bare", "#!\n")
    (floor.root / "scripts/binary").write_bytes(b"\x7fELF" + bytes(1000))
    (floor.root / "scripts/empty").touch()
    os.mkfifo(floor.root / "scripts/pipe")
    assert floor.run().status == "nothing-to-run"


def test_only_the_beginning_of_a_file_without_an_extension_is_read(floor: Floor) -> None:
    with (floor.root / "large").open("wb") as file:
        file.truncate(1 << 40)
    floor.plan("# Plan\n\n1. Change `./large`.\n")
    assert floor.run().status == "nothing-to-run"


def test_what_has_the_name_of_a_script_and_is_no_file_is_not_clean(floor: Floor) -> None:
    floor.script("scripts/a.sh", CLEAN)
    os.mkfifo(floor.root / "scripts/pipe.sh")
    (floor.root / "scripts/linked.sh").symlink_to("pipe.sh")
    result = floor.run()
    assert (result.status, result.findings) == ("could-not-run", ())
    assert result.detail.endswith("; not judged: scripts/pipe.sh (not regular)")


def test_a_script_that_the_task_cites_is_judged_wherever_it_stands(floor: Floor) -> None:
    floor.script("tools/deploy.sh")
    floor.script("tools/other.sh")
    floor.plan("# Plan\n\n1. Change `tools/deploy.sh` and `tools/missing.sh`.\n")
    assert {each.artifact_ref for each in floor.run().findings} == {"tools/deploy.sh:2", "tools/deploy.sh:3"}


def test_a_script_that_the_tasks_commits_changed_is_judged_wherever_it_stands(floor: Floor) -> None:
    repository = Repository(floor.root)
    repository.commit("before", {"tools/old.sh": UNSAFE})
    repository.commit(f"{TASK}: tools", {"tools/new.sh": UNSAFE, "libexec/run": UNSAFE, "tools/gone.sh": UNSAFE})
    repository.commit(f"{TASK}: one less", delete=["tools/gone.sh"])
    assert {finding.artifact_ref.partition(":")[0] for finding in floor.run().findings} == {
        "tools/new.sh",
        "libexec/run",
    }


def test_without_git_the_scripts_that_are_known_are_judged_all_the_same(floor: Floor) -> None:
    floor.script("scripts/run.sh")
    assert [finding.artifact_ref for finding in floor.run().findings] == ["scripts/run.sh:2", "scripts/run.sh:3"]


def test_a_script_that_is_cited_and_configured_is_judged_once(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    floor.plan("# Plan\n\n1. Change `scripts/a.sh`, then `./scripts/a.sh`.\n")
    result = floor.run()
    assert len(result.findings) == 2
    assert result.detail.startswith("1 script: ")


def test_a_cited_script_outside_of_every_root_is_not_read(floor: Floor, tmp_path: Path) -> None:
    (tmp_path / "outside.sh").write_text(UNSAFE)
    (floor.root / "inside.sh").symlink_to(tmp_path / "outside.sh")
    floor.plan(f"# Plan\n\n1. Change `../outside.sh`, `{tmp_path}/outside.sh` and `inside.sh`.\n")
    assert floor.run().findings == ()


def test_scripts_of_the_framework_are_judged_and_cited_from_the_workspace(floor: Floor, tmp_path: Path) -> None:
    framework = tmp_path / "framework"
    (framework / "dev-tools").mkdir(parents=True)
    (framework / "dev-tools/x.sh").write_text(UNSAFE)
    floor.framework_root = framework
    findings = floor.run().findings
    assert [each.artifact_ref for each in findings] == [
        "../framework/dev-tools/x.sh:2",
        "../framework/dev-tools/x.sh:3",
    ]
    assert {each.evidence.type for each in findings} == {"test_output"}


def test_a_framework_inside_the_workspace_is_not_judged_twice(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    floor.framework_root = floor.root
    assert len(floor.run().findings) == 2


def test_a_script_sees_no_other_script_whatever_stands_in_its_batch(floor: Floor) -> None:
    """Given together, shellcheck would read the sourced one too: a result would depend on more than the script."""
    floor.script("scripts/lib.sh", "#!/bin/bash\nexport setting=1\n")
    floor.script("scripts/main.sh", '#!/bin/bash\nsource ./lib.sh\nsource scripts/lib.sh\necho "$setting"\n')
    together = floor.run().findings
    (floor.root / "scripts/lib.sh").unlink()
    shutil.rmtree(os.environ["DR_VERIFY_CACHE_DIR"])
    assert floor.run().findings == together
    assert briefly(together) == [("scripts/main.sh:4", "medium", "SC2154")]


# --- nothing in the repository or the environment silences it ---------------------------------------------------------


def test_an_rc_file_of_the_repository_does_not_silence_it(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    for place in ("", "scripts"):
        (floor.root / place / ".shellcheckrc").write_text("disable=all\n")
    assert len(floor.run().findings) == 2


def test_options_in_the_environment_do_not_silence_it(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELLCHECK_OPTS", "--exclude=SC2045,SC2164")
    floor.script("scripts/a.sh")
    assert len(floor.run().findings) == 2


# --- what could not be judged is never clean -------------------------------------------------------------------------


def test_a_missing_program_is_not_clean(floor: Floor) -> None:
    floor.script("scripts/a.sh", CLEAN)
    result = floor.with_parameters(program="no-such-program").run()
    assert result.status == "could-not-run"
    assert "no-such-program" in result.detail
    assert "scripts/a.sh" in result.detail


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\n", "#!/no/interpreter\n", "#!/bin/sh\nkill -9 $$\n"]
)
def test_a_program_that_does_not_tell_its_version_is_not_clean(floor: Floor, beside: Path, script: str) -> None:
    beside.write_text(script)
    beside.chmod(0o755)
    floor.script("scripts/a.sh", CLEAN)
    assert floor.run().status == "could-not-run"


def test_a_program_that_is_named_by_a_path_is_not_run(floor: Floor, tmp_path: Path) -> None:
    evil = floor.script("evil.sh", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    evil.chmod(0o755)
    floor.script("scripts/a.sh", CLEAN)
    for name in (str(evil), os.path.relpath(evil), f"./{os.path.relpath(evil)}"):
        assert floor.with_parameters(program=name).run().status == "could-not-run"
    assert not (tmp_path / "ran").exists()


def test_the_program_is_looked_for_on_the_path_where_none_stands_beside_the_interpreter(
    floor: Floor, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.script("scripts/a.sh")
    monkeypatch.setenv("PATH", f"{REAL.parent}:{os.environ['PATH']}")
    assert not beside.exists()
    assert len(floor.run().findings) == 2


def shape_faults(floor: Floor, **parameters: object) -> list[str]:
    """Where the shape of ``verify.floor`` refuses the check's entry with other parameters."""
    record = {"id": "s", "uses": "shellcheck", "severity": "low", "category": "safety", "stages": ["do"]}
    entry = {**record, "with": {**floor.entry.parameters, **parameters}}
    value = {"all_means": ["do"], "checks": [POLICY_LAYER, entry]}
    shape = json.loads(shipped_shapes()["verify.floor"])
    faults = validator_of(shape).iter_errors(json.loads(json.dumps(value)))
    return ["/".join(map(str, fault.instance_path[3:])) for fault in faults]


HARMLESS = ["--norc", "--format=json1"]


@pytest.mark.parametrize("program", ["/tmp/evil.sh", "python3", "./shellcheck", "shellcheck\n", ""])
def test_a_repository_does_not_choose_the_program(floor: Floor, program: str) -> None:
    assert shape_faults(floor, program=program) == ["program"]


@pytest.mark.parametrize(
    "option",
    [
        "-c",
        "import os",
        "-",
        "--",
        "--norc\n",
        "--format=json1;x",
        "--severity=none",
        "--exclude=",
        "--exclude=2045",
        "--source-path=/",
        "-x",
        "--external-sources",
        "--enable=a b",
        "--shell=zsh",
        "x--norc",
        "--rcfile=.x",
        "",
    ],
)
def test_a_repository_chooses_among_harmless_options_alone(floor: Floor, option: str) -> None:
    assert shape_faults(floor, options=[*HARMLESS, option]) == ["options/2"]


def test_the_options_that_an_answer_rests_on_can_not_be_left_out(floor: Floor) -> None:
    chosen = ["--severity=style", "--shell=ksh", "--exclude=SC2045,SC2164", "--enable=all,add-default-case"]
    assert shape_faults(floor, options=HARMLESS + chosen) == []
    assert shape_faults(floor, options=HARMLESS[:1]) == shape_faults(floor, options=HARMLESS[1:]) == ["options"]


@pytest.mark.parametrize("extension", ["/x.sh", "sh", ".", ".SH", ".s/../h", ".sh\n", ""])
def test_an_extension_can_not_lead_a_copy_elsewhere(floor: Floor, extension: str) -> None:
    assert shape_faults(floor, extensions=[extension]) == ["extensions/0"]


COMMENT = '{"file":"%s","line":1,"column":1,"level":"%s","code":2045,"message":"m"}'


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        pytest.param("echo 'x.sh: no such file' >&2; exit 2", "exit 2: x.sh: no such file", id="file-fault"),
        pytest.param("exit 3", "exit 3", id="syntax"),
        pytest.param("exit 127", "exit 127", id="no-program"),
        pytest.param("exit 137", "exit 137", id="killed-below-a-shell"),
        pytest.param("kill -9 $$", "killed by signal 9", id="killed"),
        pytest.param("exit 0", "printed no valid JSON", id="silent"),
        pytest.param("echo '{\"comments\":['", "printed no valid JSON", id="torn"),
        pytest.param("echo '{}'", "printed JSON without comments", id="other-json"),
        pytest.param("echo 7; exit 1", "printed JSON without comments", id="number"),
        pytest.param("echo '{\"comments\":[]}'; exit 1", "exit 1 with 0 comments", id="comments-withheld"),
        pytest.param(
            f"""printf '{{"comments":[{COMMENT}]}}' "$5" error""", "exit 0 with 1 comments", id="comments-and-clean"
        ),
        pytest.param(
            f"""printf '{{"comments":[{COMMENT}]}}' other.sh error; exit 1""", "can't be understood", id="other-file"
        ),
        pytest.param(
            f"""printf '{{"comments":[{COMMENT}]}}' "$5" fatal; exit 1""", "can't be understood", id="other-level"
        ),
        pytest.param("echo '{\"comments\":[null]}'; exit 1", "can't be understood", id="no-comment"),
        pytest.param("echo '['; head -c 20000000 /dev/zero | tr '\\0' '['; exit 1", "printed more than", id="too-much"),
    ],
)
def test_a_run_that_is_no_answer_is_not_clean(
    floor: Floor, program: Callable[[str], str], behaviour: str, reason: str
) -> None:
    floor.script("scripts/a.sh", CLEAN)
    result = floor.with_parameters(program=program(behaviour)).run()
    assert (result.status, result.findings) == ("could-not-run", ())
    assert "scripts/a.sh (" in result.detail
    assert reason in result.detail


def test_an_answer_in_the_older_format_is_one(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    options = ["--norc", "--severity=warning", "--format=json"]
    assert len(floor.with_parameters(options=options).run().findings) == 2


def test_what_is_no_answer_is_not_kept(floor: Floor, program: Callable[[str], str]) -> None:
    floor.script("scripts/a.sh")
    program("exit 2")
    assert floor.run().status == "could-not-run"
    program('exec "$real" "$@"')
    assert len(floor.run().findings) == 2


POISONED = """
for each; do
  case "$each" in *.sh) if grep -q poison "$each"; then FAULT; fi ;; esac
done
exec "$real" "$@"
"""


@pytest.mark.parametrize("fault", ["kill -9 $$", "exit 2", "echo '{'; exit 1"])
def test_one_bad_script_does_not_take_the_others_with_it(
    floor: Floor, program: Callable[[str], str], fault: str
) -> None:
    for number in range(8):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    floor.script("scripts/bad.sh", UNSAFE + "# poison\n")
    poisoned = (
        f'for each; do case "$each" in *.sh) grep -q poison "$each" && {{ {fault}; }};; esac; done; exec "$real" "$@"'
    )
    result = floor.with_parameters(program=program(poisoned)).run()
    assert result.status == "could-not-run"
    assert "not judged: scripts/bad.sh (" in result.detail
    assert len(result.findings) == 16


def test_dividing_a_failed_batch_is_bounded(floor: Floor, program: Callable[[str], str], tmp_path: Path) -> None:
    for number in range(60):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    result = floor.with_limits(shellcheck_max_splits=3).with_parameters(program=program("kill -9 $$")).run()
    assert result.status == "could-not-run"
    assert len(calls(tmp_path)) <= PROCESSORS + 2 * 3
    assert "more (killed by signal 9)" in result.detail


def test_a_fault_of_the_program_itself_is_not_retried(
    floor: Floor, program: Callable[[str], str], tmp_path: Path
) -> None:
    for number in range(20):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    assert floor.with_parameters(program=program("exit 127")).run().status == "could-not-run"
    assert len(calls(tmp_path)) <= PROCESSORS


def test_a_script_that_hangs_is_closed_in_upon_in_bounded_time(floor: Floor, program: Callable[[str], str]) -> None:
    for number in range(4):
        floor.script(f"scripts/s{number}.sh", f"#!/bin/sh\necho {number}\n")
    floor.script("scripts/bad.sh", "#!/bin/sh\n# poison\n")
    hanging = (
        'for each; do case "$each" in *.sh) grep -q poison "$each" && exec sleep 600;; esac; done; exec "$real" "$@"'
    )
    result = floor.with_limits(shellcheck_timeout_ms=800).with_parameters(program=program(hanging)).run()
    assert result.status == "could-not-run"
    assert "scripts/bad.sh" in result.detail
    assert "no answer within" in result.detail


def test_no_room_for_copies_is_not_clean(floor: Floor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    floor.script("scripts/a.sh", CLEAN + "#" * 1000)
    floor.run()  # the version is known from here on
    floor.script("scripts/b.sh", CLEAN + "#" * 2000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, limits[1]))  # Python ignores SIGXFSZ: the write fails
    try:
        result = floor.run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert result.status == "could-not-run"
    assert "not judged: scripts/b.sh (no copies could be made to be judged: File too large)" in result.detail
    assert list((tmp_path / "temporary").iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    assert floor.run().status == "could-not-run"


def test_what_is_too_large_or_too_much_is_named(floor: Floor) -> None:
    floor.script("scripts/a.sh", CLEAN)
    floor.script("scripts/generated.sh", "#!/bin/sh\n" + "echo generated\n" * 400_000)
    result = floor.run()
    assert result.status == "could-not-run"
    assert "1 script: 0 from the cache, 1 checked" in result.detail
    assert "scripts/generated.sh (too large)" in result.detail
    (floor.root / "scripts/generated.sh").unlink()
    for number in range(9):
        floor.script(f"scripts/s{number}.sh", CLEAN)
    for limits in ({"scripts_max_number": 4}, {"scripts_max_total_bytes": 4 * len(CLEAN)}, {"scripts_max_entries": 4}):
        result = floor.with_limits(**limits).run()
        assert result.status == "could-not-run"
        assert result.detail.startswith("4 scripts: ")
        assert "more than" in result.detail


def test_only_so_many_are_named(floor: Floor) -> None:
    for number in range(9):
        floor.script(f"scripts/s{number}.sh", CLEAN)
    detail = floor.with_limits(detail_names_max=2).with_parameters(program="no-such-program").run().detail
    assert "scripts/s0.sh, scripts/s1.sh and 7 more (" in detail


def test_a_script_and_a_directory_without_the_right_to_read_are_named() -> None:
    program = """
        import os, sys
        from pathlib import Path
        from verify.floor.shell.scripts import ScriptRules, find_scripts
        if os.geteuid() == 0:
            os.setuid(65534)
        rules = ScriptRules(("scripts",), (".sh",), frozenset({"sh"}), 256, 1000, 10000, 100, 100)
        scripts = find_scripts([], [Path(sys.argv[1])], rules)
        print([script.ref for script in scripts.found])
        print(sorted((each.ref, each.reason) for each in scripts.unjudged))
    """
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # every directory above it lets everybody through
        root = Path(name)
        root.chmod(0o755)
        for script in ("secret.sh", "secret", "locked/x.sh", "open.sh"):
            (root / "scripts" / script).parent.mkdir(exist_ok=True)
            (root / "scripts" / script).write_text(UNSAFE)
        (root / "scripts/secret.sh").chmod(0)
        (root / "scripts/secret").chmod(0)
        (root / "scripts/locked").chmod(0)
        command = [sys.executable, "-c", textwrap.dedent(program), name]
        ended = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
        (root / "scripts/locked").chmod(0o755)
    denied = "not readable: Permission denied"
    assert ended.stdout.splitlines() == [
        "['scripts/open.sh']",
        str(
            [
                (f"scripts/{name}", reason)
                for name, reason in (("locked", denied), ("secret", denied), ("secret.sh", denied[:12]))
            ]
        ),
    ]


# --- the cache, and how many processes are started -------------------------------------------------------------------


def counted(floor: Floor, program: Callable[[str], str]) -> Floor:
    return floor.with_parameters(program=program('exec "$real" "$@"'))


def test_a_cold_run_starts_one_process_a_processor_and_a_warm_run_none(
    floor: Floor, program: Callable[[str], str], tmp_path: Path
) -> None:
    for number in range(50):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    floor = counted(floor, program)
    cold = floor.run()
    judging = calls(tmp_path)
    assert len(judging) == PROCESSORS
    assert sum(line.count(".sh") for line in judging) == 50
    warm = floor.run()
    assert not (tmp_path / "calls").exists()  # not even the version is asked for
    assert warm.findings == cold.findings
    assert cold.detail == "50 scripts: 0 from the cache, 50 checked; shellcheck 0.0.1"
    assert warm.detail == "50 scripts: 50 from the cache, 0 checked; shellcheck 0.0.1"


def test_more_than_one_batch_can_hold_runs_in_several_waves(
    floor: Floor, program: Callable[[str], str], tmp_path: Path
) -> None:
    for number in range(20):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    size = len(UNSAFE) + 4
    result = counted(floor, program).with_limits(shellcheck_batch_bytes=size * 20 // (3 * PROCESSORS)).run()
    assert (result.status, len(result.findings)) == ("ran", 40)
    assert len(calls(tmp_path)) > 2 * PROCESSORS


def test_only_what_changed_is_judged_again(floor: Floor, program: Callable[[str], str], tmp_path: Path) -> None:
    for number in range(5):
        floor.script(f"scripts/s{number}.sh", UNSAFE + f"# {number}\n")
    floor = counted(floor, program)
    floor.run()
    calls(tmp_path)
    floor.script("scripts/s3.sh", CLEAN)
    (floor.root / "scripts/s4.sh").rename(floor.root / "scripts/moved.sh")
    result = floor.run()
    assert [line.count(".sh") for line in calls(tmp_path)] == [1]
    assert result.detail.startswith("5 scripts: 4 from the cache, 1 checked")
    assert {each.artifact_ref.split(":")[0] for each in result.findings} == {
        f"scripts/{name}.sh" for name in ("s0", "s1", "s2", "moved")
    }


def test_equal_scripts_are_judged_once_and_reported_each(
    floor: Floor, program: Callable[[str], str], tmp_path: Path
) -> None:
    for number in range(5):
        floor.script(f"scripts/s{number}.sh")
    assert len(counted(floor, program).run().findings) == 10
    assert [line.count(".sh") for line in calls(tmp_path)] == [1]


def test_another_extension_option_or_version_is_judged_anew(
    floor: Floor, program: Callable[[str], str], tmp_path: Path, beside: Path
) -> None:
    floor.script("scripts/a.sh", "echo hello\n")
    floor = counted(floor, program)
    assert briefly(floor.run().findings) == [("scripts/a.sh:1", "medium", "SC2148")]
    floor.script("scripts/a.sh").rename(floor.root / "scripts/a.bash")
    floor.script("scripts/a.bash", "echo hello\n")
    assert floor.run().findings == ()
    floor.with_parameters(options=["--norc", "--severity=error", "--format=json1"]).run()
    beside.write_text(beside.read_text().replace("0.0.1", "0.0.2"))
    assert floor.run().detail.endswith("shellcheck 0.0.2")
    assert len(calls(tmp_path)) == 4


def test_the_answers_of_an_impostor_do_not_outlive_it(
    floor: Floor, program: Callable[[str], str], beside: Path
) -> None:
    """It says the same version, stands in the same place, and has the size and the time of the one it replaced."""
    floor.script("scripts/a.sh")
    honest, clean = 'exec "$real" "$@"', "echo '{\"comments\":[]}'"
    size = max(map(len, (honest, clean)))
    program(f"{clean:{size}}")
    status = beside.stat()
    assert floor.run().findings == ()
    beside.unlink()
    program(f"{honest:{size}}")
    os.utime(beside, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert beside.stat().st_size == status.st_size
    assert len(floor.run().findings) == 2


def test_another_installation_of_the_same_version_is_asked_itself(
    floor: Floor, program: Callable[[str], str], beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.script("scripts/a.sh")
    program("echo '{\"comments\":[]}'")
    assert floor.run().findings == ()
    (beside.parent / "other").mkdir()
    shutil.copy2(beside, beside.parent / "other")
    monkeypatch.setattr(sys, "executable", str(beside.parent / "other/python"))
    program('exec "$real" "$@"')
    shutil.copy2(beside, beside.parent / "other")
    assert len(floor.run().findings) == 2


def test_a_link_to_a_launcher_of_another_name_is_asked_for_its_version_every_time(
    floor: Floor, program: Callable[[str], str], beside: Path, tmp_path: Path
) -> None:
    floor.script("scripts/a.sh", CLEAN)
    program('exec "$real" "$@"')
    beside.rename(beside.with_name("launcher"))
    beside.symlink_to("launcher")
    floor.run()
    (tmp_path / "calls").unlink()
    assert floor.run().detail.startswith("1 script: 1 from the cache")
    assert (tmp_path / "calls").read_text() == "--version\n"


def test_a_damaged_cache_changes_nothing_but_the_time(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    first = floor.run()
    for path in Path(os.environ["DR_VERIFY_CACHE_DIR"]).rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"2045", b"2046")[:-1])
    assert floor.run() == first


def test_no_cache_changes_nothing_but_the_time(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    floor.script("scripts/a.sh")
    first = floor.run()
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", "/dev/null/nowhere")
    assert floor.run() == first


# --- starting early --------------------------------------------------------------------------------------------------


def test_the_processes_work_as_soon_as_the_check_is_begun(
    floor: Floor, program: Callable[[str], str], tmp_path: Path
) -> None:
    floor.script("scripts/a.sh")
    os.mkfifo(tmp_path / "ready")
    floor = floor.with_parameters(program=program(f'echo > \'{tmp_path}/ready\'; exec "$real" "$@"'))
    context = floor.context()
    begin(floor.entry, context)
    (tmp_path / "ready").read_text()  # returns when the program writes, before anybody collects
    assert len(shellcheck(floor.entry, context).findings) == 2
    assert len(calls(tmp_path)) == 1


def test_it_works_without_having_been_begun_and_may_be_asked_twice(floor: Floor) -> None:
    floor.script("scripts/a.sh")
    context = floor.context()
    assert shellcheck(floor.entry, context) == shellcheck(floor.entry, context)


INTERRUPTED = """
import sys
from pathlib import Path
from toolkit.effects import EFFECTS
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.processes.interrupts import exit_status, terminated_as_interrupt
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes
from verify.floor.check import CheckEntry, FloorContext
from verify.floor.shell.judging import begin, shellcheck
from verify.task import find_workspace, load_task
root, ready, bin, when = sys.argv[1:]
here = shipped_root()
sources = [Source(str(path.relative_to(here)), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
policies = PolicySet.load(sources, shipped_shapes(), effects=EFFECTS)
sys.executable = bin + "/python"
record = next(check for check in policies.data("verify.floor")["checks"] if check["id"] == "shellcheck")
entry = CheckEntry("shellcheck", "shellcheck", "low", "safety", ("do",), record["with"])
context = FloorContext(load_task(find_workspace(Path(root)), "ABC-0001", policies), "do", policies)
try:
    with terminated_as_interrupt():
        begin(entry, context)
        if when == "begun":
            while True:
                pass
        shellcheck(entry, context)
except KeyboardInterrupt as interrupt:
    sys.exit(exit_status(interrupt))
"""


@pytest.mark.parametrize("when", ["begun", "collected"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_no_process_and_no_copy_behind(
    floor: Floor, program: Callable[[str], str], tmp_path: Path, number: signal.Signals, when: str
) -> None:
    """The program ignores SIGTERM, and stands in a process group of its own."""
    floor.script("scripts/a.sh")
    os.mkfifo(tmp_path / "ready")
    python = Path(REAL.parent, "python")
    program(f"trap '' TERM HUP INT; echo $$ > '{tmp_path}/ready'; sleep 600; sleep 600")
    argv = [str(python), "-c", INTERRUPTED, str(floor.root), str(tmp_path / "ready"), str(tmp_path / "bin"), when]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen(argv, cwd=Path(__file__).parents[3], env=environment) as verifier:
        child = int((tmp_path / "ready").read_text())
        assert list((tmp_path / "temporary").iterdir()) != []
        verifier.send_signal(number)
        assert verifier.wait() == 128 + number
    assert has_ended(child)
    assert list((tmp_path / "temporary").iterdir()) == []


def has_ended(pid: int) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def test_no_copy_is_left_behind(floor: Floor, program: Callable[[str], str], tmp_path: Path) -> None:
    floor.script("scripts/a.sh")
    floor.run()
    floor.with_parameters(program=program("kill -9 $$")).run()
    assert list((tmp_path / "temporary").iterdir()) == []


# --- parts -----------------------------------------------------------------------------------------------------------


@given(sizes=st.lists(st.integers(0, 1000), max_size=30), count=st.integers(1, 8))
def test_batches_hold_every_script_once_and_are_as_even_as_the_largest_allows(sizes: list[int], count: int) -> None:
    by_key = {f"key{at}": size for at, size in enumerate(sizes)}
    batches = balanced(by_key, count)
    assert sorted(key for batch in batches for key in batch) == sorted(by_key)
    assert len(batches) == min(count, len(sizes))
    loads = [sum(by_key[key] for key in batch) for batch in batches]
    if loads:
        assert max(loads) - min(loads) <= max(sizes)
        assert all(batches)


@given(first=st.binary(min_size=1), second=st.binary(min_size=1))
def test_a_shown_path_is_one_line_of_valid_text_and_tells_paths_apart(first: bytes, second: bytes) -> None:
    shown = [on_one_line(os.fsdecode(path)) for path in (first, second)]
    assert (shown[0] == shown[1]) == (first == second)
    for text in shown:
        text.encode()
        assert text.isprintable()

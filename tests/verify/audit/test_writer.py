"""Writing logs: whole, once, under a number of their own, and with nothing in them that breaks them."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from toolkit.errors import StorageError, ToolkitError
from toolkit.policy.sets import PolicySet
from toolkit.reporting.visible import shows
from verify.audit.body import span
from verify.audit.checking import check_logs
from verify.audit.reader import read_log
from verify.audit.record import AuditRecord, CheckLine, LayerLine, RawOutput
from verify.audit.seal import seal_of
from verify.audit.writer import write_log
from verify.decisions import Decided
from verify.findings import Malformed
from verify.task import Workspace
from verify.waivers.applying import NO_WAIVERS

Make = Callable[..., AuditRecord]
GOLDEN = Path(__file__).parent / "golden" / "verify-TST-0001-do-1.md"

# A child that has imported everything, loaded the policies and stands ready.
READY = """
import os, signal, sys
from pathlib import Path
from dataclasses import replace
from toolkit.effects import EFFECTS
from toolkit.errors import StorageError
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.reporting.visible import shows
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes
from verify.audit.record import AuditRecord
from verify.audit.writer import write_log
from verify.task import Workspace
sources = [Source(str(path), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
policies = PolicySet.load(sources, shipped_shapes(), effects=EFFECTS)
root = Path(sys.argv[1])
workspace = Workspace(root=root, datarim=root / "datarim")
record = AuditRecord("TST-0001", "do", "none", 3, "2026-05-04T12:30:15Z", "2026-05-04T12:31:00Z", "PASS", True, 0,
                     None, "sha256:0", "1.2.3", "run")
"""


def start(script: str, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", READY + script, str(root)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run(script: str, root: Path) -> str:
    return start(script, root).communicate(timeout=120)[0]


def names(workspace: Workspace) -> list[str]:
    return sorted(entry.name for entry in (workspace.datarim / "qa").iterdir())


def test_a_log_reads_as_it_always_did(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    """Whoever changes the form of a log sees the change here, and reads the old form ever after (next test)."""
    written = write_log(make_record(), workspace, policies)
    assert written.path.read_text(encoding="utf-8") == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", [".", "without-decisions", "earlier"])
def test_a_log_of_an_earlier_release_still_reads(policies: PolicySet, folder: str) -> None:
    log = read_log(GOLDEN.parent / folder / GOLDEN.name, policies)
    assert (log.task_id, log.stage, log.iter, log.verdict, log.sealed) == ("TST-0001", "do", 1, "CONDITIONAL", True)
    assert [finding.finding_id for finding in log.findings] == ["F-floor-1", "F-peer_review-1", "F-dispatch-2"]


def test_what_is_waived_or_known_stands_apart_in_the_log_and_is_sealed_with_it(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    path = write_log(make_record(), workspace, policies).path
    log = read_log(path, policies)
    assert [finding.finding_id for finding in log.waived] == ["F-floor-2"]
    assert [finding.finding_id for finding in log.known] == ["F-floor-3"]
    assert log.waived[0].record["waiver"]["owner"] == "platform `team`"
    assert log.header["waivers"]["applied"] == 1
    assert log.header["waivers"]["expired"][0]["place"] == ".dr/waivers.yaml:9"
    assert log.header["baseline"] == {"file": "before.json", "digest": "sha256:" + "3" * 64, "fixed": 2}
    assert log.header["commits"] == ["4" * 40, "5" * 40]
    text = path.read_text(encoding="utf-8")
    assert "hunter2" not in text
    path.chmod(0o644)
    path.write_text(text.replace("platform `team`", "somebody else"), encoding="utf-8")
    with pytest.raises(StorageError) as caught:
        read_log(path, policies)
    assert caught.value.code == "log_digest_differs"


def test_a_run_without_waivers_and_baseline_says_so(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    record = make_record(waived=(), waivers=NO_WAIVERS, compared=None, commits=(), commits_from=None)
    log = read_log(write_log(record, workspace, policies).path, policies)
    assert (log.waived, log.known) == ((), ())
    assert log.header["waivers"] == {"applied": 0, "expired": [], "file": None, "unused": []}
    assert (log.header["baseline"], log.header["commits"], log.header["commits_from"]) == (None, [], None)


def test_what_the_tables_were_asked_is_sealed_with_the_log_and_says_how_often(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    path = write_log(make_record(), workspace, policies).path
    header = read_log(path, policies).header
    assert [one["document"] for one in header["decisions"]] == ["verify.verdict", "verify.exit", "verify.disposition"]
    assert header["decisions"][0] == {
        "document": "verify.verdict",
        "facts": {"high": 0, "medium": 1, "persistent": False},
        "outputs": {"verdict": "CONDITIONAL"},
        "row": "medium-finding",
    }
    assert [one.get("times") for one in header["decisions"]] == [None, None, 3]
    path.chmod(0o644)
    path.write_text(path.read_text(encoding="utf-8").replace("    medium: 1", "    medium: 2"), encoding="utf-8")
    with pytest.raises(StorageError) as caught:
        read_log(path, policies)
    assert caught.value.code == "log_digest_differs"


def test_a_decision_that_tells_a_secret_is_left_out_whole_and_counted(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    told = Decided("verify.skip", {"stage": "do"}, {"reason": "password: hunter2"}, "trivial")
    log = read_log(write_log(make_record(decisions=(told,)), workspace, policies).path, policies)
    assert (log.header["decisions"], log.header["decisions_left_out"]) == ([], 1)


def test_a_log_holds_so_many_decisions_and_says_how_many_more_there_were(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    most = policies.data("verify.log")["decisions_max"]
    many = tuple(Decided("verify.exit", {"tokens": number}, {"stop": True}, "x") for number in range(most + 7))
    path = write_log(make_record(decisions=many), workspace, policies).path
    header = read_log(path, policies).header
    assert [one["facts"]["tokens"] for one in header["decisions"]] == list(range(most))
    assert header["decisions_left_out"] == 7


def test_a_log_is_read_only_and_its_folder_is_made(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    written = write_log(make_record(), workspace, policies)
    assert written.path == workspace.root / "datarim" / "qa" / "verify-TST-0001-do-1.md"
    assert written.iter == 1
    assert stat.S_IMODE(written.path.stat().st_mode) == 0o444


def test_each_run_gets_the_next_number_and_changes_no_earlier_log(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    first = write_log(make_record(), workspace, policies)
    before = first.path.read_bytes()
    (workspace.datarim / "qa" / "verify-TST-0001-do-9.md").write_text("kept", encoding="utf-8")
    second = write_log(make_record(iter=1), workspace, policies)
    other = write_log(make_record(stage="plan"), workspace, policies)
    assert (second.iter, other.iter) == (10, 1)
    assert first.path.read_bytes() == before
    assert read_log(second.path, policies).iter == 10


def test_runs_at_once_all_keep_their_logs(workspace: Workspace, policies: PolicySet) -> None:
    script = """
print("ready", flush=True)
sys.stdin.read(1)
for _ in range(5):
    print(write_log(replace(record, run_id=str(os.getpid())), workspace, policies).iter)
"""
    running = [start(script, workspace.root) for _ in range(3)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    numbers = [int(number) for process in running for number in process.communicate("!", timeout=120)[0].split()]
    assert sorted(numbers) == list(range(1, 16))
    assert names(workspace) == sorted(f"verify-TST-0001-do-{number}.md" for number in range(1, 16))
    assert check_logs(workspace, policies) == ()


def test_a_run_killed_before_its_log_has_a_name_leaves_no_log(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    script = """
def paused(*_, **__):
    print("written", flush=True)
    signal.pause()
os.link = paused
write_log(record, workspace, policies)
"""
    kill_when_written(script, workspace)
    assert check_logs(workspace, policies) == ()
    assert write_log(make_record(), workspace, policies).iter == 1


def test_a_run_killed_where_there_are_no_hard_links_leaves_a_log_that_looks_like_none(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    script = """
def refused(*_, **__):
    raise OSError(95, "no hard links here")
def paused(*_, **__):
    print("written", flush=True)
    signal.pause()
os.link, os.replace = refused, paused
write_log(record, workspace, policies)
"""
    kill_when_written(script, workspace)
    assert {problem.code for problem in check_logs(workspace, policies)} >= {"log_incomplete"}
    assert write_log(make_record(), workspace, policies).iter == 2


def kill_when_written(script: str, workspace: Workspace) -> None:
    process = start(script, workspace.root)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)


def test_a_limit_on_file_sizes_is_told_and_leaves_nothing(workspace: Workspace) -> None:
    script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
try:
    write_log(record, workspace, policies)
except StorageError as error:
    print(error.code)
"""
    assert run(script, workspace.root) == "file_too_large\n"
    assert names(workspace) == []


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A directory that any user can reach, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_without_the_right_to_write_is_told(reachable: Path, made: bool) -> None:
    (reachable / "datarim").mkdir()
    if made:
        (reachable / "datarim" / "qa").mkdir()
    script = """
import tempfile
with tempfile.TemporaryDirectory() as other:  # imports all that writing needs, as long as it may be read
    (Path(other) / "datarim").mkdir()
    write_log(record, Workspace(Path(other), Path(other) / "datarim"), policies)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
else:
    for folder in (workspace.datarim / "qa", workspace.datarim):
        if folder.exists():
            folder.chmod(0o555)
try:
    write_log(record, workspace, policies)
except StorageError as error:
    print(error.code, bool(error.next_step))
"""
    assert run(script, reachable) == "not_writable True\n"


@pytest.mark.parametrize("task_id", ["../../x", "TST-0001/../../x", "TST-0001\n", "", "-TST-0001", "TST-1-é"])
def test_an_id_that_names_another_place_writes_nothing(
    workspace: Workspace, policies: PolicySet, make_record: Make, task_id: str
) -> None:
    with pytest.raises(ToolkitError) as caught:
        write_log(make_record(task_id=task_id), workspace, policies)
    assert caught.value.code == "bad_log_name"
    assert names(workspace) == []


@pytest.mark.parametrize("stage", ["../x", "do-1", "", "DO"])
def test_a_stage_that_is_no_word_writes_nothing(
    workspace: Workspace, policies: PolicySet, make_record: Make, stage: str
) -> None:
    with pytest.raises(ToolkitError) as caught:
        write_log(make_record(stage=stage), workspace, policies)
    assert caught.value.code == "bad_log_name"


def test_an_id_that_ends_like_a_stage_has_its_own_numbers(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    assert write_log(make_record(task_id="TST-0001-do-1", stage="plan"), workspace, policies).iter == 1
    assert write_log(make_record(), workspace, policies).iter == 1


def test_a_folder_that_is_a_link_out_of_the_workspace_is_refused(
    workspace: Workspace, policies: PolicySet, make_record: Make, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (workspace.datarim / "qa").symlink_to(elsewhere)
    with pytest.raises(ToolkitError) as caught:
        write_log(make_record(), workspace, policies)
    assert caught.value.code == "log_folder_outside"
    assert list(elsewhere.iterdir()) == []


def test_a_folder_that_is_a_link_inside_the_workspace_is_a_folder(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    (workspace.root / "logs").mkdir()
    (workspace.datarim / "qa").symlink_to("../logs")
    assert write_log(make_record(), workspace, policies).path.resolve().parent == workspace.root.resolve() / "logs"


def test_a_folder_that_is_a_file_is_told(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    (workspace.datarim / "qa").write_text("", encoding="utf-8")
    with pytest.raises(StorageError) as caught:
        write_log(make_record(), workspace, policies)
    assert caught.value.code == "not_writable"


def test_no_secret_is_written_anywhere(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    secret = "hunter2"
    record = make_record(
        warnings=(f"password: {secret}",),
        layers=(LayerLine("dispatch", "error", f"Authorization: Bearer {secret}"),),
        checks=(CheckLine("x", "ran", f"api_key={secret}"),),
        malformed=(Malformed("dispatch", [{"token": secret}], (f"secret: {secret}",), "malformed_evidence"),),
        raw_outputs=(RawOutput("dispatch", "tester", 1, "x" * 1990 + f" password: {secret}"),),
    )
    text = write_log(record, workspace, policies).path.read_text(encoding="utf-8")
    assert secret not in text
    assert text.count("<redacted>") >= 6


def test_a_path_that_speaks_of_keys_keeps_its_digest(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    log = read_log(write_log(make_record(), workspace, policies).path, policies)
    assert log.artifacts == make_record().artifacts


def test_raw_outputs_and_malformed_records_are_cut(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    record = make_record(
        raw_outputs=(RawOutput("dispatch", "tester", 1, "é" * 9000),),
        malformed=(Malformed("dispatch", ["y" * 9000], ("record: is no object",), "parse_error"),),
    )
    header: Any = read_log(write_log(record, workspace, policies).path, policies).header
    assert header["raw_outputs"][0]["text"] == "é" * 1989 + "[truncated]"
    assert len(header["malformed"][0]["record"]) == 2000


def test_an_output_that_redaction_makes_short_still_says_that_it_was_cut(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    record = make_record(raw_outputs=(RawOutput("dispatch", "tester", 1, "password: " + "x" * 50_000),))
    header: Any = read_log(write_log(record, workspace, policies).path, policies).header
    assert header["raw_outputs"][0]["text"] == "password: <redacted>[truncated]"


def test_a_malformed_record_nested_without_end_is_logged(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    deep: object = "password: x"
    for _ in range(900):
        deep = [deep]
    record = make_record(malformed=(Malformed("dispatch", {"severity": deep}, ("x: y",), "malformed_evidence"),))
    assert read_log(write_log(record, workspace, policies).path, policies).sealed


def test_names_that_are_no_text_do_not_make_a_log_unreadable(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    twins = {"\ud800": 1, "\\ud800": 2, "k" * 5000: 3, "a\nb: c": 4}
    record = make_record(
        artifacts={"a\udcff.md": "sha256:1", "a\\udcff.md": "sha256:2", "d/" * 3000: "sha256:3"},
        malformed=(Malformed("dispatch", twins, (), "malformed_evidence"),) * 2,
    )
    log = read_log(write_log(record, workspace, policies).path, policies)
    assert log.artifacts == {"a\\udcff.md": "sha256:2", "d/" * 3000: "sha256:3"}


def test_a_log_that_nobody_could_read_back_is_not_written(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    limit = policies.data("verify.limits")["log_max_bytes"]
    with pytest.raises(StorageError) as caught:
        write_log(make_record(roots=("x" * limit,)), workspace, policies)
    assert caught.value.code == "log_too_large"
    assert names(workspace) == []


HOSTILE = st.sampled_from(
    [
        *(
            "---",
            "\n---\n",
            "# heading",
            "\n# heading\n",
            "```",
            "~~~",
            "`",
            "``x`",
            "<!-- x -->",
            "<h1>x</h1>",
            "- item",
        ),
        *(
            "\n\nSetext\n===",
            "| a | b |",
            "\x1b[2J",
            "\u202e",
            "\ud800",
            "\x00",
            "\r",
            "\u2028",
            "...",
            "&amp;",
            "\\",
            "[a](b)",
        ),
        "<!-- dr-verify: the log ends here, sha256:" + "0" * 64 + " -->\n",
    ]
) | st.text(max_size=20)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=60
)
@given(st.lists(HOSTILE, min_size=1, max_size=4).map("".join))
def test_no_text_becomes_structure(policies: PolicySet, make_record: Make, tmp_path: Path, text: str) -> None:
    base = make_record()
    shown = base.findings[0].finding
    finding = replace(shown, artifact_ref=text, ac_criteria=(text,), suggested_fix=text, check_name=text)
    waived = base.waived[0]
    said = waived.waivers[0]._replace(reason=text, owner=text, path=text, text=text, criteria=(text,), rule=text)
    assert base.compared is not None
    record = make_record(
        findings=(replace(base.findings[0], finding=finding, verified_diagnostic=text, origins=()),),
        waived=(waived._replace(admitted=replace(waived.admitted, finding=finding), waivers=(said,)),),
        waivers=base.waivers._replace(file=text, unused=(said,), expired=(said,)),
        compared=base.compared._replace(file=text),
        commits_from=text,
        decisions=(base.decisions[0], Decided(text, {text: text}, {text: [text]}, text, 2)),
        warnings=(text,),
        raw_outputs=(RawOutput("dispatch", "tester", 1, text),),
        malformed=(Malformed("dispatch", {text: text}, (text,), "malformed_evidence"),),
        artifacts={text: text},
        roots=(text,),
        run_id=text,
        tool_version=text,
    )
    (tmp_path / "datarim").mkdir(exist_ok=True)
    path = write_log(record, Workspace(root=tmp_path, datarim=tmp_path / "datarim"), policies).path
    log = read_log(path, policies)
    assert len(log.findings) == 1
    assert seal_of(path.read_bytes()) is True
    _, _, body = path.read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    assert headings(body) == [
        f"Verification of TST-0001: stage do, run {log.iter}",
        *("Findings", "Low: 1", "Waived: 1", "Known from the baseline: 1", "Malformed: 1"),
        *("Layers", "Checks", "Decisions", "Warnings"),
    ]
    assert all(shows(char) for line in body.split("\n") for char in line)


def headings(markdown: str) -> list[str]:
    """The headings of a text in CommonMark; fences and HTML, but for the seal, are not expected."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    blocks = [token for token in tokens if token.type in ("fence", "code_block", "html_block")]
    assert [token.content.startswith("<!-- dr-verify: ") for token in blocks] == [True]
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


@settings(deadline=None)
@given(st.text(st.sampled_from("`a \\*"), max_size=30))
def test_a_span_shows_its_text_as_it_is(text: str) -> None:
    (inline,) = [token for token in MarkdownIt("commonmark").parse(f"x {span(text)}") if token.type == "inline"]
    shown = "".join(child.content for child in inline.children or ())
    assert shown == f"x {text or '(empty)'}"


def test_the_umask_of_the_user_makes_no_log_writable(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    before = os.umask(0)
    try:
        written = write_log(make_record(), workspace, policies)
    finally:
        os.umask(before)
    assert stat.S_IMODE(written.path.stat().st_mode) == 0o444

"""Init tasks: what they owe, what their questions owe, and how old a task is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from captured_support import ID, TASKS, description, init_task, question, workspace, write
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.errors import StorageError
from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact
from verify.errors import WorkspaceError
from verify.init_task.reading import InitTask, read_init_task
from verify.init_task.rules import InitTaskRules
from verify.init_task.survey import Survey
from verify.init_task.window import exemption, find_day, is_young
from verify.task import INIT_TASK, TASK_DESCRIPTION
from verify.workspace import find_workspace

Read = Callable[[str], InitTask]
KEYS = ("task_id", "artifact", "schema_version", "captured_at", "captured_by", "operator", "status")


@pytest.fixture(scope="session")
def read(policies: PolicySet) -> Read:
    rules = InitTaskRules.from_policy(policies)
    return lambda text: read_init_task(Artifact("init_task", f"{TASKS}/{ID}-init-task.md", text, "sha256:0"), ID, rules)


def told(found: InitTask) -> str:
    return "\n".join(f"{one.line} {one.code}: {one.message}" for one in (*found.front_matter, *found.problems))


def test_a_whole_init_task_holds(read: Read) -> None:
    agent = question("agent", "the brief leaves it open, and the totals are needed by everybody who reads it")
    found = read(init_task(question(), agent.replace("round 1", "round 2")))
    assert not told(found)
    assert [(one.stage, one.round, one.decided_by) for one in found.questions] == [
        ("prd", 1, "operator"),
        ("prd", 2, "agent"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join(line + "  " if line and line[0] not in "-#" else line for line in text.split("\n")),
        lambda text: text.replace("**Question", "- **Question").replace("**Decided", "* **Decided"),
        lambda text: text.replace("by:** operator", "by**: operator"),
        lambda text: text.replace("by:** operator", "by:** `operator`"),
        lambda text: text.replace("by:** operator", "by:** operator (Ann)"),
        lambda text: text.replace("Answer (verbatim):** All", "Answer (verbatim, by mail):** All"),
        lambda text: text.replace(":** All of them.", ":**\n\n> All of them.\n"),
        lambda text: text.replace("/dr-prd (round 1)", "`/dr-prd` (round 1)"),
        lambda text: text.replace("(round 1)", "(Round 12, late)"),
        lambda text: text.replace("### ", "#### "),
        lambda text: text.replace("## Append-log", "## Append-log ##").replace(
            "(verbatim)\n\nMake", "(as given)\n\nMake"
        ),
        lambda text: text.replace("schema_version: 1", 'schema_version: "1"'),
        lambda text: text + "\n## Other\n\n### Notes\n\n- free text: here\n",
    ],
)
def test_an_honest_way_of_writing_changes_nothing(read: Read, change: Callable[[str], str]) -> None:
    plain = init_task(question())
    assert change(plain) != plain
    found = read(change(plain))
    assert not told(found)
    assert [one.decided_by for one in found.questions] == ["operator"]


@pytest.mark.parametrize("key", KEYS)
def test_each_key_of_the_front_matter_is_owed(read: Read, key: str) -> None:
    lines = init_task().splitlines()
    gone = [line for line in lines if not line.startswith(f"{key}:")]
    assert [one.code for one in read("\n".join(gone)).front_matter] == ["front-matter-key"]
    empty = [f"{key}: ''" if line.startswith(f"{key}:") else line for line in lines]
    (problem,) = read("\n".join(empty)).front_matter
    assert lines[problem.line - 1].startswith(f"{key}:")


@pytest.mark.parametrize(
    ("key", "value"),
    [("task_id", "ABC-0002"), ("artifact", "expectations"), ("schema_version", "2"), ("artifact", "Init-Task")],
)
def test_a_key_says_what_it_has_to(read: Read, key: str, value: str) -> None:
    lines = [f"{key}: {value}" if line.startswith(f"{key}:") else line for line in init_task().splitlines()]
    (problem,) = read("\n".join(lines)).front_matter
    assert problem.code == "front-matter-value"
    assert repr(value) in problem.message


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("", 1, "front-matter-missing"),
        ("# Title\n", 1, "front-matter-missing"),
        ("---\ntask_id: x\n", 1, "front-matter-malformed"),
        ("---\na: 1\nb: [\n---\n", 4, "front-matter-malformed"),
        ("---\n- a list\n---\n", 2, "front-matter-malformed"),
        ("---\na: &x 1\n---\n", 2, "front-matter-malformed"),
    ],
)
def test_a_front_matter_that_cannot_be_read_is_one_error_with_its_line(
    read: Read, text: str, line: int, code: str
) -> None:
    (problem,) = read(text).front_matter
    assert (problem.line, problem.code) == (line, code)


@pytest.mark.parametrize("heading", ["## Operator brief (verbatim)", "## Append-log"])
def test_each_heading_is_owed(read: Read, heading: str) -> None:
    for other in ("", "Text", f"#{heading}", f"    {heading}", f"> {heading}", f"```\n{heading}\n```"):
        found = read(init_task().replace(heading, other))
        assert f"there is no heading {heading}" in told(found), other


LABELS = (
    "Question (verbatim)",
    "Answer (verbatim)",
    "Decided by",
    "Summary (how it changes the task)",
    "Conflict with existing wish",
)


@pytest.mark.parametrize("label", LABELS)
def test_each_label_of_a_question_is_owed_in_bold(read: Read, label: str) -> None:
    text = init_task(question())
    for other in (text.replace(f"**{label}:**", f"{label}:"), text.replace(f"**{label}:**", "**Other:**")):
        found = read(other)
        assert [one.code for one in found.problems] == ["question-field"], told(found)
        assert found.problems[0].line == found.questions[0].line
    (line,) = [line for line in text.splitlines() if line.startswith(f"**{label}")]
    assert "says nothing" in told(read(text.replace(line, f"**{label}:** <!-- later -->")))


@pytest.mark.parametrize("who", ["nobody", "the operator", "operator and agent", "agent/operator", "operators", "-"])
def test_a_question_is_decided_by_one_of_two(read: Read, who: str) -> None:
    found = read(init_task(question(who)))
    assert [one.code for one in found.problems] == ["decided-by"] if who != "-" else found.problems
    assert found.questions[0].decided_by == ""


@pytest.mark.parametrize(
    ("text", "enough"),
    [("x" * 50, True), ("x" * 49, False), ("ж " * 50, True), ("a" * 49 + " " * 9, False), ("", False)],
)
def test_an_agents_decision_takes_fifty_characters_of_reason(read: Read, text: str, enough: bool) -> None:
    found = read(init_task(question("agent", text)))
    assert ([one.code for one in found.problems] == []) is enough
    if not enough:
        assert "at least 50 characters" in told(found)
    assert not told(read(init_task(question("operator", text))))


def test_a_reason_may_take_several_lines_and_ends_at_the_next_label(read: Read) -> None:
    assert not told(read(init_task(question("agent", "because:\n\n- " + "a" * 30 + "\n- `" + "b" * 30 + "`\n"))))
    short = question("agent", "short").replace("**Summary", "**Summary").replace("Nothing.", "n" * 80)
    assert "it has 5" in told(read(init_task(short)))


@pytest.mark.parametrize("heading", ["Q&A by /dr-prd", "Q&A by somebody (round 1)", "Q&A by /dr-prd (round one)"])
def test_a_heading_of_a_question_names_stage_and_round(read: Read, heading: str) -> None:
    assert [one.code for one in read(init_task(question(heading=heading))).problems] == ["question-heading"]


def test_a_question_in_a_fence_is_none(read: Read) -> None:
    found = read(init_task("```\n" + question("nobody") + "```\n"))
    assert (found.questions, told(found)) == ((), "")


def test_the_text_of_a_question_ends_where_the_next_one_begins(read: Read) -> None:
    bare = question().partition("**Decided")[0]
    found = read(init_task(bare, question()))
    assert len(found.questions) == 2
    assert {one.line for one in found.problems} == {found.questions[0].line}
    assert len(found.problems) == 3


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([*init_task(question("agent")).splitlines(), "**", "### Q&A by", "```"]) | st.text(max_size=9)
    )
)
def test_any_text_is_read(read: Read, lines: list[str]) -> None:
    for problem in read("\n".join(lines)).problems:
        assert problem.line >= 1


TODAY = date(2026, 11, 30)


def day(text: str = "", key: str = "started", init: str = "") -> tuple[date | None, str]:
    documents = [Artifact("d", "d.md", f"---\n{key}: {text}\nx: y\n---\n", "")]
    documents += [Artifact("i", "i.md", f"---\n{init}\nx: y\n---\n", "")] if init else []
    found = find_day(documents, ("started", "created", "captured_at"))
    return found.day, found.place


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-11-20", date(2026, 11, 20)),
        ("'2026-11-20'", date(2026, 11, 20)),
        ("2026-11-20T08:00Z", date(2026, 11, 20)),
        ("2026-11-20T23:30:00-02:00", date(2026, 11, 21)),
        ("2026-11-20 08:00", date(2026, 11, 20)),
        ("2026-11-20T08:00Z / 10:00", date(2026, 11, 20)),
        ("2026-11-20 about noon", None),
        ("2026-11-20T10", None),
        ("20261120", None),
        ("2026-W47-5", None),
        ("2026-11-31", None),
        ("soon", None),
        ("20.11.2026", None),
        ("0001-01-01T00:00+14:00", None),
        ("''", None),
        ("[2026-11-20]", None),
    ],
)
def test_a_date_is_a_day_in_utc(text: str, wanted: date | None) -> None:
    assert day(text)[0] == wanted
    if wanted is None:
        assert day(text)[1].startswith("no date was found")


def test_the_keys_are_asked_in_order_and_a_bad_one_is_passed_over() -> None:
    assert day("2026-11-01", "created", "started: 2026-01-01") == (date(2026, 11, 1), "d.md:2")
    assert day("soon", "started", "captured_at: 2026-01-02") == (date(2026, 1, 2), "i.md:2")
    assert day("soon") == (None, "no date was found; d.md:2 says started: soon")
    assert day("20261120") == (None, "no date was found; d.md:2 says started: 20261120")
    text = "---\ncaptured_at: 2026-01-01\ncreated: 2026-01-02\nstarted: never\n---\n"
    found = find_day((None, Artifact("d", "d.md", text, "")), ("started", "created", "captured_at"))
    assert (found.day, found.place) == (date(2026, 1, 2), "d.md:3")


@pytest.mark.parametrize(
    ("started", "young"),
    [
        ("2026-11-30", True),
        ("2026-11-01", True),
        ("2026-10-31", False),
        ("2020-01-01", False),
        ("2030-01-01", True),
        ("x", None),
    ],
)
def test_a_task_is_young_for_thirty_days(policies: PolicySet, started: str, young: bool | None) -> None:
    found = find_day((Artifact("d", "d.md", f"---\nstarted: {started}\n---\n", ""),), ("started",))
    assert is_young(found, TODAY, InitTaskRules.from_policy(policies)) is young


@pytest.mark.parametrize(
    ("line", "exempt"),
    [
        ("legacy: true", True),
        ("legacy: 'True'", True),
        ("Legacy: true", True),
        ("legacy: false", False),
        ("status: archived", True),
        ("status: Completed", True),
        ("status: cancelled", True),
        ("status: in_progress", False),
        ("title: legacy", False),
    ],
)
def test_who_owes_nothing_is_said_by_the_description(policies: PolicySet, line: str, exempt: bool) -> None:
    rules = InitTaskRules.from_policy(policies)
    found = exemption(Artifact("d", "d.md", f"---\n{line}\n---\n", ""), rules)
    assert (found is not None) is exempt
    if found is not None:
        assert found.startswith("d.md:2 says ")
    assert exemption(None, rules) is None


def test_a_survey_knows_every_task_by_its_documents(policies: PolicySet, tmp_path: Path) -> None:
    workspace(tmp_path, "ABC-0002")
    write(tmp_path, f"{TASKS}/ABC-0001-FU-x-init-task.md", "")
    write(tmp_path, f"{TASKS}/ABC-0003-expectations.md", "")
    write(tmp_path, f"{TASKS}/ABC-0004-task-description.md", description("ABC-0004", legacy="true"))
    write(tmp_path, f"{TASKS}/ABC-0005-task-description.md", description("ABC-0005"))
    write(tmp_path, "documentation/archive/area/archive-ABC-0005.md", "done")
    write(tmp_path, f"{TASKS}/notes-init-task.md", "")
    write(tmp_path, f"{TASKS}/README.md", "")
    survey = Survey(find_workspace(tmp_path), policies)
    found = list(survey.every((TASK_DESCRIPTION, INIT_TASK)))
    assert [one.task.id for one in found] == ["ABC-0001-FU-x", "ABC-0002", "ABC-0003", "ABC-0004", "ABC-0005"]
    assert [one.exempt is not None for one in found] == [False, False, False, True, True]
    assert found[4].exempt == "documentation/archive/area/archive-ABC-0005.md exists"


def test_a_bad_file_is_a_fault_of_its_task_and_stops_no_other(policies: PolicySet, tmp_path: Path) -> None:
    workspace(tmp_path, "ABC-0002")
    write(tmp_path, f"{TASKS}/ABC-0001-init-task.md", b"\xff")
    (tmp_path / TASKS / "ABC-0003-init-task.md").symlink_to("/etc/passwd")
    (tmp_path / TASKS / "ABC-0004-init-task.md").mkdir()
    found = list(Survey(find_workspace(tmp_path), policies).every((INIT_TASK,)))
    assert [[fault.code for fault in one.faults.values()] for one in found] == [
        ["invalid_utf8"],
        [],
        ["path_outside_workspace"],
        ["not_a_regular_file"],
    ]


def test_one_task_needs_a_real_id_and_no_document(policies: PolicySet, tmp_path: Path) -> None:
    workspace(tmp_path)
    survey = Survey(find_workspace(tmp_path), policies)
    assert survey.one("XYZ-9", (INIT_TASK,)).task.init_task is None
    for wrong in ("../x", "abc-1", "ABC-1\n", ""):
        with pytest.raises(WorkspaceError) as caught:
            survey.one(wrong, (INIT_TASK,))
        assert caught.value.code == "invalid_task_id"


def test_a_folder_that_is_a_link_out_is_refused(policies: PolicySet, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "work/datarim").mkdir(parents=True)
    (tmp_path / "work" / TASKS).symlink_to(outside)
    with pytest.raises((WorkspaceError, StorageError)) as caught:
        list(Survey(find_workspace(tmp_path / "work"), policies).every((INIT_TASK,)))
    assert caught.value.code == "path_outside_workspace"


def test_the_example_of_the_documentation_holds(read: Read) -> None:
    page = (Path(__file__).parents[2] / "docs/datarim.md").read_text()
    shown = page.partition("## Init task\n")[2].partition("```markdown\n")[2].partition("```\n")[0]
    found = read(shown.replace("ABCD-0001", ID))
    assert not told(found)
    assert [(one.stage, one.round, one.decided_by) for one in found.questions] == [("prd", 1, "agent")]

"""Whether a session is at work: a line of the active context with the task's id and one of its commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.session import ActiveSession, SessionRules, active_session
from verify.task import find_workspace, load_task

TASK = "ABCD-0001"
NOTES = "datarim/activeContext.md"


def noted(text: str, root: Path, policies: PolicySet) -> ActiveSession | None:
    (root / "datarim" / "prd").mkdir(parents=True, exist_ok=True)
    (root / f"datarim/prd/PRD-{TASK}.md").write_text("# PRD\n")
    (root / NOTES).write_text(text, encoding="utf-8")
    return active_session(load_task(find_workspace(root), TASK, policies), SessionRules.from_policy(policies))


@pytest.mark.parametrize("command", ["/dr-prd", "/dr-plan", "/dr-do"])
@pytest.mark.parametrize(
    "line",
    [
        "- {id} · in_progress · {command}",
        "{id}: {command}",
        "{command} on {id}, since noon",
        "Now: `{command} {id}`.",
        "- **{id}** (`{command}`)",
        "- [ ] {id} → {command}",
        "> {id} {command}",
        "## {id} {command}",
        "- [{id}](tasks/{id}-task-description.md) {command}",
        "- {id} {command} ~~/dr-qa~~",
        "- {id} {command} ~~ not closed",
        "1. {id} `~~` {command} `~~`",
        "| x |\n| --- |\n| {id} {command} |",
        "| Task | Session |\n| --- | --- |\n| {id} | `{command}` |",
    ],
)
def test_a_line_with_id_and_command_is_an_active_session(
    tmp_path: Path, policies: PolicySet, line: str, command: str
) -> None:
    text = line.format(id=TASK, command=command)
    found = noted(f"# Active\n\n{text}\n", tmp_path, policies)
    assert found == ActiveSession(NOTES, 3 + text.count("\n"), command)
    assert found.warning(TASK).startswith(f"{NOTES}:{found.line} ")


@pytest.mark.parametrize(
    "text",
    [
        "- {id} · in_progress",
        "- {id} · /dr-qa",
        "- {id} · /dr-done",
        "- {id} · dr-do",
        "- {id} · https://host/dr-do",
        "- {id} · /dr-do-later",
        "- {id}-FU · /dr-do",
        "- X{id} · /dr-do",
        "- {id}0 · /dr-do",
        "- tasks/{id}-task-description.md · /dr-do",
        "- {id}\n- /dr-do",
        "{id}\n/dr-do",
        "- ~~{id} · /dr-do~~",
        "- {id} · ~~/dr-do~~ ended",
        "- {id} · ~~`/dr-do`~~ ended",
        "~~{id} /dr-plan\nand {id} /dr-do~~",
        "<!-- {id} · /dr-do -->",
        "- {id} <!-- /dr-do -->",
        "```\n{id} /dr-do\n```",
        "    {id} /dr-do",
        "| Task | Session |\n| --- | --- |\n| {id} | ~~/dr-do~~ |",
        "| Task | Session |\n| --- | --- |\n| {id} | |\n| ABCD-0002 | /dr-do |",
        "",
    ],
)
def test_another_line_says_nothing(tmp_path: Path, policies: PolicySet, text: str) -> None:
    assert noted(text.format(id=TASK), tmp_path, policies) is None


def test_the_first_such_line_is_named(tmp_path: Path, policies: PolicySet) -> None:
    text = f"# Active\n\n~~{TASK} /dr-prd~~\n{TASK} /dr-plan\n{TASK} /dr-do\n"
    assert noted(text, tmp_path, policies) == ActiveSession(NOTES, 4, "/dr-plan")


def test_without_the_document_nobody_is_at_work(tmp_path: Path, policies: PolicySet) -> None:
    noted("", tmp_path, policies)
    (tmp_path / NOTES).unlink()
    task = load_task(find_workspace(tmp_path), TASK, policies)
    assert active_session(task, SessionRules.from_policy(policies)) is None


@given(st.lists(st.sampled_from(["~~", "~", TASK, "/dr-do", "`", "\n", "- ", "|", "<!--", "-->", " "]), max_size=30))
def test_whatever_stands_there_a_line_that_is_told_has_both(
    tmp_path_factory: pytest.TempPathFactory, policies: PolicySet, parts: list[str]
) -> None:
    root = tmp_path_factory.mktemp("notes")
    text = "".join(parts)
    found = noted(text, root, policies)
    if found is not None:
        # Inline code that breaks over lines stands, whole, on the line on which it begins.
        from_there = (root / NOTES).read_text().split("\n")[found.line - 1 :]
        told = "\n".join(from_there) if "`" in from_there[0] else from_there[0]
        assert TASK in told
        assert "/dr-do" in told

"""Init tasks, expectations and task descriptions as tests write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ID = "ABC-0001"
TASKS = "datarim/tasks"


def front(artifact: str, task_id: str = ID, version: int | str = 2, **more: str) -> str:
    """The front matter of a captured document; ``more`` replaces values, an empty one leaves the key out."""
    values: dict[str, str] = {
        "task_id": task_id,
        "artifact": artifact,
        "schema_version": str(version),
        "captured_at": "2026-11-20",
        "captured_by": "/dr-prd",
        "status": "canonical",
        **more,
    }
    lines = [f"{key}: {value}" for key, value in values.items() if value]
    return "\n".join(["---", *lines, "---", ""])


def wish(
    wish_id: str = "totals",
    status: str = "met",
    fields: Mapping[str, str] | None = None,
    *,
    number: int = 1,
    linked: str = "V-AC-1",
    english: bool = False,
) -> str:
    """One wish; ``fields`` are added or replace others, an empty value leaves the field out."""
    names = ("Linked AC", "How to verify", "Status history", "Current status")
    if not english:
        names = ("Связанный AC из PRD", "Как проверить (success criterion)", "История статусов", "Текущий статус")
    values = {
        "wish_id": wish_id,
        names[0]: linked,
        names[1]: "run it and look",
        "evidence_type": "empirical",
        **(fields or {}),
    }
    lines = [f"- **{number}. title of {wish_id}**", *(f"  - {key}: {value}" for key, value in values.items() if value)]
    lines += [f"  - #### {names[2]}", f"    - 2026-11-20 · /dr-prd · pending → {status} · reason: seeded"]
    return "\n".join([*lines, f"  - #### {names[3]}", f"    - {status}", ""])


def checklist(*wishes: str, version: int = 2, heading: str = "## Ожидания", task_id: str = ID) -> str:
    """A whole checklist."""
    return front("expectations", task_id, version) + f"{heading}\n\n" + "\n".join(wishes)


def init_task(*questions: str, task_id: str = ID, **more: str) -> str:
    """A whole init task."""
    head = front("init-task", task_id, 1, operator="maintainer", **more)
    return head + "## Operator brief (verbatim)\n\nMake it so.\n\n## Append-log\n\n" + "\n".join(questions)


def question(decided_by: str = "operator", rationale: str = "", heading: str = "") -> str:
    """One question block."""
    why = f"\n**Decision rationale:** {rationale}\n" if rationale else ""
    return (
        f"### {heading or '2026-11-21 — Q&A by /dr-prd (round 1)'}\n\n"
        "**Question (verbatim):** Which totals?\n\n**Answer (verbatim):** All of them.\n\n"
        f"**Decided by:** {decided_by}\n{why}\n"
        "**Summary (how it changes the task):** Nothing.\n\n**Conflict with existing wish:** none\n"
    )


def description(task_id: str = ID, complexity: str = "L3", **more: str) -> str:
    """A task description."""
    values = {"id": task_id, "status": "in_progress", "complexity": complexity, "started": "2026-11-25", **more}
    return "\n".join(["---", *(f"{key}: {value}" for key, value in values.items() if value), "---", f"# {task_id}", ""])


def write(root: Path, path: str, text: str | bytes) -> Path:
    """Write a file of a workspace, byte by byte."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def workspace(root: Path, task_id: str = ID, **documents: str) -> Path:
    """A workspace with one L3 task; ``documents`` are texts by the end of their names (``init_task``, …)."""
    for name in ("tasks.md", "backlog.md"):
        write(root, f"datarim/{name}", documents.pop(name.removesuffix(".md"), ""))
    texts = {"task_description": description(task_id), **documents}
    for name, text in texts.items():
        if text:
            write(root, f"{TASKS}/{task_id}-{name.replace('_', '-')}.md", text)
    return root

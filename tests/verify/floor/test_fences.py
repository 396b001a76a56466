"""The check ``unclosed_fence``: whatever hides the rest of a document is told, in every document of the task."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.fences import unclosed_fence
from verify.task import find_workspace, load_task
from verify.terms import FILE_QUOTE, NOTHING_TO_RUN, RAN

ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
PLAN = f"datarim/plans/{ID}-plan.md"
ENTRY = CheckEntry("unclosed_fence", "unclosed_fence", "low", "completeness", ("prd",), {})


def run(root: Path, policies: PolicySet, documents: dict[str, str]) -> CheckResult:
    for path, text in documents.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    task = load_task(find_workspace(root), ID, policies)
    return unclosed_fence(ENTRY, FloorContext(task, "all", policies))


def test_every_document_of_the_task_is_looked_at(tmp_path: Path, policies: PolicySet) -> None:
    result = run(tmp_path, policies, {PRD: "# PRD\n\n```sh\nx\n", PLAN: "- step\n\n  ~~~\n  x\n\nout\n"})
    assert [(f.artifact_ref, f.evidence.excerpt, f.severity) for f in result.findings] == [
        (f"{PRD}:3", "```sh", "low"),
        (f"{PLAN}:3", "  ~~~", "low"),
    ]
    assert all(finding.evidence.type == FILE_QUOTE for finding in result.findings)
    assert "down to line 4" in (result.findings[0].suggested_fix or "")
    assert "~~~" in (result.findings[1].suggested_fix or "")


def test_a_comment_that_is_never_closed_hides_as_much(tmp_path: Path, policies: PolicySet) -> None:
    (finding,) = run(tmp_path, policies, {PRD: "text\n\n<!-- note\n\n- AC-1: x\n"}).findings
    assert (finding.artifact_ref, finding.evidence.excerpt) == (f"{PRD}:3", "<!-- note")
    assert "-->" in (finding.suggested_fix or "")


@pytest.mark.parametrize(
    ("opening", "missing"),
    [
        ("<pre>", "</pre>"),
        ("<SCRIPT src=x>", "</script>"),
        ("<style", "</style>"),
        ("<textarea>", "</textarea>"),
        ("<?php", "?>"),
        ("<!DOCTYPE", ">"),
        ("<![CDATA[", "]]>"),
    ],
)
def test_raw_html_that_is_never_closed_hides_as_much(
    tmp_path: Path, policies: PolicySet, opening: str, missing: str
) -> None:
    (finding,) = run(tmp_path, policies, {PRD: f"text\n\n{opening}\n\n- AC-1: x\n"}).findings
    assert (finding.artifact_ref, finding.evidence.excerpt) == (f"{PRD}:3", opening)
    assert f"raw HTML that is open here with {missing};" in (finding.suggested_fix or "")


@pytest.mark.parametrize(
    "text",
    [
        "<pre>\n\nx\n</pre>\n",
        "<pre>x</PRE>\n",
        "<pretty>\n\nx\n",
        "<div>\n\nx\n",
        "<?x?>\n",
        "<!DOCTYPE html>\n",
        "<![CDATA[\n\n]]>\n",
        "text <pre>\n",
        "````\n```\n````\n",
        "~~~\n```\n~~~\n",
        "- a\n\n  ```\n  b\n  ```\n",
        "```\n```",
        "> ```\n> ```\n",
        "`````\n````\n`````\n",
        "<!-- a\nb -->\n",
        "a ``` b\n",
    ],
)
def test_what_is_closed_by_the_rules_of_commonmark_is_no_finding(
    tmp_path: Path, policies: PolicySet, text: str
) -> None:
    result = run(tmp_path, policies, {PRD: text})
    assert (result.status, result.findings) == (RAN, ())


def test_indexes_belong_to_no_task(tmp_path: Path, policies: PolicySet) -> None:
    result = run(tmp_path, policies, {"datarim/tasks.md": f"- {ID} · in_progress · L2 · x\n\n```\n"})
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())

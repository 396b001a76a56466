"""Real repositories with known drift: every kind of it, in every shape of every document, and without any."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

TASK = "DRF-0007"
PRD = f"datarim/prd/PRD-{TASK}.md"
PLAN = f"datarim/plans/{TASK}-plan.md"
DESCRIPTION = f"datarim/tasks/{TASK}-task-description.md"
REPORT = f"datarim/qa/qa-report-{TASK}.md"
DAY = 86_400
START = 1_700_006_400  # 2023-11-15T00:00:00Z

Files = Mapping[str, str | bytes | None]
"""Path to content; null deletes the file."""


@dataclass(frozen=True)
class Commit:
    """One commit: what it says, what it changes, on which day after the first one, and on which branch."""

    message: str
    files: Files
    day: int = 0
    branch: str = "main"


def build(root: Path, commits: list[Commit], *, head: str = "main", dirty: Files | None = None) -> list[str]:
    """A repository of these commits at ``root`` with the work tree of the last one on ``head``; their full hashes.

    A branch other than ``main`` begins at the last commit of ``main`` before it. Two processes, whatever the size.
    ``dirty`` is written over the work tree and not committed.
    """
    root.mkdir(parents=True, exist_ok=True)
    _git(root, "init", "-q", "-b", "main")
    stream: list[bytes] = []
    tips: dict[str, int] = {}
    trees: dict[str, dict[str, str | bytes]] = {}
    for mark, commit in enumerate(commits, 1):
        parent = tips.get(commit.branch, tips.get("main"))
        tree = dict(trees.get(commit.branch, trees.get("main", {})))
        message = commit.message.encode()
        moment = START + commit.day * DAY + mark
        stream.append(
            f"commit refs/heads/{commit.branch}\nmark :{mark}\ncommitter A <a@example.org> {moment} +0000\n".encode()
        )
        stream.append(b"data %d\n%s\n" % (len(message), message))
        if parent:
            stream.append(b"from :%d\n" % parent)
        for path, content in commit.files.items():
            name = os.fsencode(path)
            quoted = (
                b'"'
                + b"".join(b"\\%03o" % byte if byte < 32 or byte in b'"\\' else bytes([byte]) for byte in name)
                + b'"'
            )
            if content is None:
                stream.append(b"D %s\n" % quoted)
                del tree[path]
            else:
                data = content.encode() if isinstance(content, str) else content
                stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(data), data))
                tree[path] = content
        tips[commit.branch], trees[commit.branch] = mark, tree
    stream += (b"get-mark :%d\n" % mark for mark in range(1, len(commits) + 1))
    hashes = _git(root, "fast-import", "--quiet", "--done", stdin=b"".join((*stream, b"done\n"))).decode().split()
    if head != "main":
        (root / ".git/HEAD").write_text(f"ref: refs/heads/{head}\n")
    _write(root, {**trees[head], **(dirty or {})})
    return hashes


def _write(root: Path, files: Files) -> None:
    for path, content in files.items():
        place = root / path
        if content is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def _git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "core.fsync=none", *arguments],
        cwd=root,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@dataclass(frozen=True)
class Shapes:
    """Which shape each document has; the first word of each comment is the other one."""

    surface: str = "steps"  # "heading"
    headed_steps: bool = False  # steps as headings, not as numbered items
    approval: str = "front"  # "line", or "none"
    trail: str = "none"  # "changelog", "report"
    binding: str = "verifies"  # "table"
    commits: str = "subject"  # "trailer", "branch", "range"
    russian: bool = False


@dataclass(frozen=True)
class Drift:
    """What is planted: paths that creep in, whether the PRD decays, and which criteria are orphans or skewed."""

    creep: tuple[str, ...] = ()
    decay: bool = False
    skew: frozenset[int] = frozenset()
    orphans: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Case:
    """A task of ``criteria`` criteria, each with one step that changes one file, in some shapes, with some drift."""

    criteria: int = 2
    shapes: Shapes = field(default_factory=Shapes)
    drift: Drift = field(default_factory=Drift)
    exempt: tuple[str, ...] = ()  # paths that are changed, too, and that nobody has to plan

    def make(self, root: Path) -> tuple[str | None, set[tuple[str, str]]]:
        """Make the repository. What to give as the task's commits, and the findings that it has: check and place."""
        start = {
            PRD: self._prd(changed=False),
            PLAN: self._plan(),
            DESCRIPTION: self._description(),
            "datarim/tasks.md": f"- {TASK} · in_progress · P1 · L3 · a task → {DESCRIPTION}\n",
            **{self._file(number): "0\n" for number in self._numbers()},
        }
        work = {self._file(number): "1\n" for number in self._numbers() if number not in self.drift.skew}
        commits = [Commit("start", start), self._task("work", work, 1)]
        if self.drift.creep or self.exempt:
            more = dict.fromkeys((*self.drift.creep, *self.exempt), "more\n")
            commits.append(self._task("and more", more, 2))
        if self.drift.decay or self.shapes.trail != "none":
            changed: dict[str, str] = {PRD: self._prd(changed=True)}
            if self.shapes.trail == "report":
                changed[REPORT] = f"---\ndate: {self._day(4)}\n---\n# QA\n\nRead PRD-{TASK} again.\n"
            commits.append(self._task("easier", changed, 3))
        head = f"feature/{TASK}-work" if self.shapes.commits == "branch" else "main"
        hashes = build(root, commits, head=head)
        given = f"{hashes[0]}..{hashes[-1]}" if self.shapes.commits == "range" else None
        return given, self._expected()

    def _expected(self) -> set[tuple[str, str]]:
        found = {("drift:scope_creep", path) for path in self.drift.creep}
        if self.drift.decay and self.shapes.approval != "none" and self.shapes.trail == "none":
            found.add(("drift:spec_decay", PRD))
        found |= {("drift:execution_skew", f"step {number}") for number in self.drift.skew}
        found |= {("drift:orphaned_requirements", f"V-AC-{number}") for number in self.drift.orphans}
        return found

    def _numbers(self) -> range:
        return range(1, self.criteria + 1)

    def _file(self, number: int) -> str:
        return f"src/part_{number}.py"

    def _day(self, day: int) -> str:
        return f"2023-11-{15 + day}"

    def _task(self, words: str, files: Files, day: int) -> Commit:
        """A commit of the task, which says so in the case's shape."""
        message = {"subject": f"{TASK}: {words}", "trailer": f"{words}\n\nTask: {TASK}\n"}.get(
            self.shapes.commits, words
        )
        branch = f"feature/{TASK}-work" if self.shapes.commits == "branch" else "main"
        return Commit(message, files, day, branch)

    def _prd(self, *, changed: bool) -> str:
        russian, shapes = self.shapes.russian, self.shapes
        front = "---\nstatus: approved\napproved_by: owner\n---\n" if shapes.approval == "front" else ""
        said = f"{'Утверждено' if russian else 'Approved'}: {self._day(0)} by owner"
        lines = [f"# PRD\n\n{said}\n" if shapes.approval == "line" else "# PRD\n", "## Criteria\n"]
        for number in self._numbers():
            limit = 900 if changed and number == 1 else 50
            lines.append(f"- V-AC-{number}: part {number} answers within {limit} ms. Verify: `pytest -k part_{number}`")
        if changed and shapes.trail == "changelog":
            lines.append(f"\n## {'Журнал изменений' if russian else 'Changelog'}\n\n| day | what |\n| --- | --- |")
            lines.append(f"| {self._day(3)} | V-AC-1 has more time |")
        return front + "\n".join(lines) + "\n"

    def _plan(self) -> str:
        shapes, russian = self.shapes, self.shapes.russian
        lines = ["# План\n" if russian else "# Plan\n"]
        if shapes.surface == "heading":
            lines += [f"## {'Затронутые файлы' if russian else 'Component Breakdown'}\n", "- `src/part_*.py`\n"]
        lines.append(f"## {'Шаги' if russian else 'Steps'}\n")
        for number in self._numbers():
            named = shapes.surface == "steps" or number in self.drift.skew
            path = f" in `{self._file(number)}`" if named else ""
            bound = shapes.binding == "verifies" and number not in self.drift.orphans
            verifies = f" Verifies: V-AC-{number}." if bound else ""
            lead = f"### {'Шаг' if russian else 'Step'} {number}: part\n\n" if shapes.headed_steps else f"{number}. "
            lines.append(f"{lead}Write part {number}{path}.{verifies}" + ("\n" if shapes.headed_steps else ""))
        if shapes.binding == "table":
            lines.append("\n## Coverage\n\n| AC | step |\n| --- | --- |")
            lines += [
                f"| V-AC-{number} | Step {number} |" for number in self._numbers() if number not in self.drift.orphans
            ]
        return "\n".join(lines) + "\n"

    def _description(self) -> str:
        """Evidence for what is neither an orphan nor skewed."""
        proved = (number for number in self._numbers() if number not in self.drift.orphans | self.drift.skew)
        evidence = "".join(f"- Evidence: V-AC-{number}: `pytest -k part_{number}` exits 0\n" for number in proved)
        return f"---\ntask_id: {TASK}\ncomplexity: L3\nstatus: in_progress\n---\n# Task\n\n{evidence}"

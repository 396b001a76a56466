"""One task: its documents read once, its complexity level, whether it is archived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from toolkit.reporting.visible import visible
from verify.artifacts import Artifact, ArtifactRules, find_documents, read_document
from verify.complexity import Complexity, find_complexity
from verify.criteria import CriteriaRules
from verify.errors import WorkspaceError
from verify.index import IndexRow, find_rows
from verify.workspace import Workspace, find_workspace, is_task_id

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

__all__ = ["Artifact", "IndexRow", "Task", "Workspace", "find_workspace", "load_task"]

# Kinds of document that code asks for by name; where they stand is said in verify.artifacts.
PRD: Final = "prd"
PLAN: Final = "plan"
TASK_DESCRIPTION: Final = "task_description"
INIT_TASK: Final = "init_task"
EXPECTATIONS: Final = "expectations"
QA_REPORT: Final = "qa_report"
COMPLIANCE_REPORT: Final = "compliance_report"
ARCHIVE: Final = "archive"
TASKS: Final = "tasks"
NOT_FOUND: Final = "task_not_found"
INVALID_ID: Final = "invalid_task_id"
_SHOWN: Final = 80


@dataclass(frozen=True)
class Task:
    """A task and everything of it that stands in the workspace; nothing is read again after loading.

    ``own`` holds its documents, ``shared`` those of all tasks (indexes), both in the order of ``verify.artifacts``.
    """

    id: str
    workspace: Workspace
    rules: ArtifactRules
    criteria: CriteriaRules
    own: tuple[Artifact, ...]
    shared: tuple[Artifact, ...]

    @cached_property
    def artifacts(self) -> Mapping[str, Artifact]:
        """The task's documents by kind; of several of a kind the first by name."""
        found: dict[str, Artifact] = {}
        for artifact in self.own:
            found.setdefault(artifact.kind, artifact)
        return MappingProxyType(found)

    def all_of(self, kind: str) -> tuple[Artifact, ...]:
        """Every document of a kind, the task's own or shared."""
        return tuple(artifact for artifact in (*self.own, *self.shared) if artifact.kind == kind)

    def place_of(self, kind: str) -> str:
        """Where the task's document of ``kind`` stands or should stand, relative to the workspace's root."""
        if kind in self.artifacts:
            return self.artifacts[kind].path
        return next(place.of(self.id) for place in self.rules.documents if place.kind == kind)

    @property
    def prd(self) -> Artifact | None:
        return self.artifacts.get(PRD)

    @property
    def plan(self) -> Artifact | None:
        return self.artifacts.get(PLAN)

    @property
    def description(self) -> Artifact | None:
        return self.artifacts.get(TASK_DESCRIPTION)

    @property
    def init_task(self) -> Artifact | None:
        return self.artifacts.get(INIT_TASK)

    @property
    def expectations(self) -> Artifact | None:
        return self.artifacts.get(EXPECTATIONS)

    @property
    def qa_report(self) -> Artifact | None:
        return self.artifacts.get(QA_REPORT)

    @property
    def compliance_report(self) -> Artifact | None:
        return self.artifacts.get(COMPLIANCE_REPORT)

    @property
    def archive(self) -> Artifact | None:
        return self.artifacts.get(ARCHIVE)

    @cached_property
    def rows(self) -> tuple[IndexRow, ...]:
        """The task's rows in the shared documents."""
        return tuple(row for artifact in self.shared for row in self.rows_in(artifact.kind))

    def rows_in(self, kind: str) -> tuple[IndexRow, ...]:
        """The task's rows in the shared documents of one kind."""
        found = (artifact for artifact in self.shared if artifact.kind == kind)
        return tuple(row for artifact in found for row in find_rows(artifact, self.id, self.rules))

    @property
    def complexity(self) -> str:
        """The task's level, a term of ``verify.complexity``."""
        return self._complexity.level

    @property
    def complexity_source(self) -> str:
        """Where the level comes from: ``path:line``, or words that begin with "default"."""
        return self._complexity.source

    @cached_property
    def _complexity(self) -> Complexity:
        return find_complexity(self.artifacts, self.rows_in, self.rules, self.criteria)

    @property
    def archived(self) -> bool:
        return self.archived_reason is not None

    @cached_property
    def archived_reason(self) -> str | None:
        """Why the task counts as archived (``path:line``, and what stands there), or null.

        An archive document decides; then the status in the description's front matter; only where that says
        nothing, the status in the task's rows. Statuses that contradict each other don't archive a task, nor does a
        description whose front matter can't be read: what it says is unknown.
        """
        if self.rules.archived_kind in self.artifacts:
            return f"{self.artifacts[self.rules.archived_kind].path}:1 exists"
        key, description = self.rules.status_key, self.description
        if description is not None:
            front = description.front_matter
            said = [(f"{description.path}:{line}", f"{key}: {value}", value) for value, line in front.entries(key)]
            if said or front.error is not None:
                return self._ended(said)
        rows = [row for kind in self.rules.archived_rows for row in self.rows_in(kind)]
        # First what may decide: a row of another task's that agrees proves nothing.
        ordered = sorted(rows, key=lambda row: not row.own)
        if not any(row.own and row.statuses for row in ordered):
            return None
        return self._ended((f"{row.path}:{row.line}", text, text) for row in ordered for text in row.statuses)

    def _ended(self, said: Iterable[tuple[str, str, str]]) -> str | None:
        """The first of some statuses (place, text, status) when every one of them ends a task, else null."""
        reasons = [
            f"{place} says {text}" if status.casefold() in self.rules.archived_statuses else None
            for place, text, status in said
        ]
        return reasons[0] if reasons and all(reasons) else None

    def documents(self) -> Mapping[str, Path]:
        """Bare file name to path (relative to the root) of every document of the task; the first of a name counts."""
        return {PurePosixPath(artifact.path).name: Path(artifact.path) for artifact in reversed(self.own)}

    def texts(self) -> Mapping[str, str]:
        """Path (relative to the root, POSIX) to text of everything that was read."""
        return {artifact.path: artifact.text for artifact in (*self.own, *self.shared)}

    def digests(self) -> Mapping[str, str]:
        """Path (relative to the root, POSIX) to digest of everything that was read."""
        return {artifact.path: artifact.digest for artifact in (*self.own, *self.shared)}


def load_task(workspace: Workspace, task_id: str, policies: PolicySet) -> Task:
    """Read a task's documents and the indexes, each at most once.

    Raises ``WorkspaceError`` with the code ``invalid_task_id``, ``task_not_found`` (no document and no index row),
    or for a document that can't be used (``path_outside_workspace``, ``not_a_regular_file``, ``file_too_large``,
    ``invalid_utf8``, ``bad_file_name``); ``StorageError`` for one that is there and can't be read.
    """
    rules = ArtifactRules.from_policy(policies)
    require_task_id(task_id, rules)
    limit = rules.document_max
    own = tuple(artifact for place in rules.documents for artifact in find_documents(place, task_id, workspace, limit))
    found = (read_document(place.kind, place.path, workspace, limit) for place in rules.shared)
    shared = tuple(artifact for artifact in found if artifact is not None)
    task = Task(task_id, workspace, rules, CriteriaRules.from_policy(policies), own, shared)
    if not task.own and not task.rows:
        raise _not_found(task)
    return task


def require_task_id(task_id: str, rules: ArtifactRules) -> None:
    """Raise ``WorkspaceError`` (``invalid_task_id``) for a text that is no task id."""
    if is_task_id(task_id, rules.task_id, rules.task_id_max):
        return
    shown = visible(task_id, _SHOWN)
    message = f"{shown!r} is no task id"
    if len(task_id) > rules.task_id_max:
        message = f"{shown!r} has {len(task_id)} characters; a task id has at most {rules.task_id_max}"
    step = f"give an id that matches {rules.task_id}, such as ABCD-0001"
    raise WorkspaceError(INVALID_ID, message, place=shown, next_step=step)


def _not_found(task: Task) -> WorkspaceError:
    places = ", ".join(_looked_at(task))
    return WorkspaceError(
        NOT_FOUND,
        f"nothing stands in the workspace for the task {task.id}: no row or document in {places}",
        place=visible(str(task.workspace.root)),
        next_step="check the id, or name another workspace with --workspace",
    )


def _looked_at(task: Task) -> Iterable[str]:
    yield from (place.of(task.id) for place in task.rules.documents)
    yield from (place.path for place in task.rules.shared)

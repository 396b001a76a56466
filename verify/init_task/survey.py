"""Tasks looked at outside of a verification: one by its id, or all of a workspace; a bad file stops no other one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.errors import StorageError, ToolkitError
from verify.artifacts import ANY, ID, Artifact, ArtifactRules, Place, read_document
from verify.criteria import CriteriaRules
from verify.errors import WorkspaceError
from verify.init_task.rules import InitTaskRules
from verify.init_task.window import Dated, exemption, find_day
from verify.task import EXPECTATIONS, INIT_TASK, TASK_DESCRIPTION, Task, require_task_id
from verify.workspace import OUTSIDE, Workspace, is_task_id

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

# The documents that make a task known to a survey.
KNOWN_BY = (TASK_DESCRIPTION, INIT_TASK, EXPECTATIONS)


class Surveyed(NamedTuple):
    """One task. ``faults`` are its documents (by kind) that are there and can't be used, and why.

    ``exempt`` says why it owes nothing, else null.
    """

    task: Task
    faults: Mapping[str, ToolkitError]
    exempt: str | None
    dated: Dated


class Survey:
    """Reads tasks of one workspace; each document once, the shared ones at most once in all."""

    def __init__(self, workspace: Workspace, policies: PolicySet) -> None:
        self._workspace = workspace
        self._rules = ArtifactRules.from_policy(policies)
        self._criteria = CriteriaRules.from_policy(policies)
        self.init_tasks = InitTaskRules.from_policy(policies)

    @cached_property
    def shared(self) -> tuple[Artifact, ...]:
        """The documents of all tasks. Raises what ``read_document`` raises."""
        found = (self._read(place.kind, place.path) for place in self._rules.shared)
        return tuple(artifact for artifact in found if artifact is not None)

    def one(self, task_id: str, kinds: Iterable[str]) -> Surveyed:
        """The task ``task_id`` with its documents of some ``kinds``, whether or not any is there.

        Raises ``WorkspaceError`` (``invalid_task_id``), and ``StorageError`` for one that can't be read.
        """
        require_task_id(task_id, self._rules)
        surveyed = self._surveyed(task_id, kinds, ())
        for fault in surveyed.faults.values():
            if isinstance(fault, StorageError):
                raise fault
        return surveyed

    def every(self, kinds: Iterable[str], shared: tuple[Artifact, ...] = ()) -> Iterator[Surveyed]:
        """Every task that has a description, an init task or expectations, in the order of the ids.

        ``shared`` are the documents of all tasks, where their rows are to be asked. Raises what listing the folders
        raises.
        """
        wanted = tuple(kinds)
        places = [place for place in self._rules.documents if place.kind in KNOWN_BY]
        ids = {task for place in places for task in self._ids_at(place)}
        archived = self._archived()
        for task_id in sorted(ids):
            surveyed = self._surveyed(task_id, wanted, shared)
            reason = surveyed.exempt or archived.get(task_id)
            yield surveyed._replace(exempt=reason)

    def _surveyed(self, task_id: str, kinds: Iterable[str], shared: tuple[Artifact, ...]) -> Surveyed:
        own: list[Artifact] = []
        faults: dict[str, ToolkitError] = {}
        wanted = frozenset(kinds)
        for place in self._rules.documents:
            if place.kind not in wanted:
                continue
            try:
                artifact = self._read(place.kind, place.of(task_id))
            except (WorkspaceError, StorageError) as fault:
                faults[place.kind] = fault
                continue
            if artifact is not None:
                own.append(artifact)
        task = Task(task_id, self._workspace, self._rules, self._criteria, tuple(own), shared)
        dated = find_day((task.description, task.init_task), self.init_tasks.dates)
        return Surveyed(task, faults, exemption(task.description, self.init_tasks), dated)

    def _read(self, kind: str, path: str) -> Artifact | None:
        return read_document(kind, path, self._workspace, self._rules.document_max)

    def _is_id(self, text: str) -> bool:
        return is_task_id(text, self._rules.task_id, self._rules.task_id_max)

    def _ids_at(self, place: Place) -> Iterator[str]:
        """The ids in the names of the documents at a place."""
        folder, _, pattern = place.path.rpartition("/")
        head, _, tail = pattern.partition(ID)
        for name in self._names(folder):
            if name.startswith(head) and name.endswith(tail) and self._is_id(name[len(head) : len(name) - len(tail)]):
                yield name[len(head) : len(name) - len(tail)]

    def _names(self, folder: str) -> list[str]:
        real = Path(os.path.realpath(self._workspace.root / folder))
        if self._workspace.root not in real.parents:
            message = f"{folder} is a link that leads out of the workspace, and is not followed"
            raise WorkspaceError(OUTSIDE, message, place=folder, next_step="put the folder itself there")
        try:
            return os.listdir(real)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as fault:
            message = f"{folder} can't be listed: {fault.strerror}"
            step = "give this user the right to read it"
            raise StorageError("not_readable", message, place=folder, next_step=step) from fault

    def _archived(self) -> dict[str, str]:
        """Every task that has an archive document, and its path. Nothing is read of it."""
        found: dict[str, str] = {}
        for place in self._rules.documents:
            if place.kind == self._rules.archived_kind:
                head, _, tail = place.path.rpartition("/")[2].partition(ID)
                for path in sorted(self._workspace.root.glob(place.path.replace(ID, ANY))):
                    task_id = path.name[len(head) : len(path.name) - len(tail)]
                    found.setdefault(task_id, f"{path.relative_to(self._workspace.root).as_posix()} exists")
        return found

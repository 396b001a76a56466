"""The plan's surface and the task's changed paths, made comparable; for ``FloorContext.once``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from toolkit.repository.names import enclosed, on_one_line
from verify.documents.surface import SurfacePath, SurfaceRules, surface_of
from verify.floor.changes import task_changes, task_history
from verify.floor.check import FloorContext
from verify.floor.paths import path_rules
from verify.floor.readings import plan_steps
from verify.history.changes import TaskChange
from verify.history.derived import TaskCommit
from verify.references import split_reference


class ChangedPath(NamedTuple):
    """A path that commits of the task changed.

    ``path`` is relative to the workspace (perhaps through ``..``), ``stored`` to its repository, ``names`` are all that
    a plan may know it by. ``commits`` are those that changed it, the first one first; none, of a path that differs from
    what it was somewhere else.
    """

    path: str
    stored: str
    names: tuple[str, ...]
    commits: tuple[TaskCommit, ...]

    @property
    def shown(self) -> str:
        """How a finding cites it: valid UTF-8 on one line, to which the number of a line can be added."""
        shown = on_one_line(self.path)
        if split_reference(f"{shown}:1").path != shown:  # a name such as "a:1", which would be taken for a place in "a"
            shown = enclosed(shown)
        return shown


def surface_rules(context: FloorContext) -> SurfaceRules:
    """The rules of this run."""
    return SurfaceRules.from_policy(context.policies)


def plan_surface(context: FloorContext) -> tuple[SurfacePath, ...]:
    """The surface of the plan; nothing without a plan."""
    plan = context.task.plan
    if plan is None:
        return ()
    return surface_of(plan.blocks, context.once(plan_steps), context.once(surface_rules), context.once(path_rules))


def changed_paths(context: FloorContext) -> tuple[ChangedPath, ...]:
    """What the task's commits changed themselves, each path once, by path."""
    return _collected(context, strictly=True)


def touched_paths(context: FloorContext) -> tuple[ChangedPath, ...]:
    """Everything that the task's commits had a hand in."""
    return _collected(context, strictly=False)


def path_of(stored: str, context: FloorContext) -> ChangedPath:
    """A path of the workspace's repository that no commit need have changed, given relative to the repository's top."""
    history = context.once(task_history)
    return _Naming(history.repositories[history.home or 0].root, context).named(stored, ())


def _collected(context: FloorContext, *, strictly: bool) -> tuple[ChangedPath, ...]:
    naming = tuple(_Naming(git.root, context) for git in context.once(task_history).repositories)
    found: dict[tuple[int, str], list[TaskCommit]] = {}
    for one in reversed(context.once(task_changes)):
        changes: tuple[TaskChange, ...] = one.changed if strictly else one.touched
        for change in changes:
            found.setdefault((one.commit.repository, change.stored), []).append(one.commit)
    paths = (naming[index].named(stored, commits) for (index, stored), commits in found.items())
    return tuple(sorted(paths, key=lambda changed: changed.path))


class _Naming:
    """How the paths of one repository are written: from its top, the workspace, ``datarim/`` and the framework root."""

    def __init__(self, top: Path, context: FloorContext) -> None:
        self._top = top
        self._from_workspace = _way(top, context.task.workspace.root)
        self._ways = [_way(top, root) for root in context.roots()]

    def named(self, stored: str, commits: Iterable[TaskCommit]) -> ChangedPath:
        """A path that was changed, which is given relative to its repository's top."""
        names = dict.fromkeys((stored, *(way(stored) for way in self._ways), f"{self._top}/{stored}"))
        ordered = sorted(commits, key=lambda commit: commit.committed_at)
        return ChangedPath(self._from_workspace(stored), stored, tuple(names), tuple(ordered))


def _way(top: Path, root: Path) -> Callable[[str], str]:
    """A function from a path below ``top`` to the same path from ``root``."""
    base = os.path.realpath(root)
    lead = os.path.relpath(top, base)
    if lead == ".":
        return lambda stored: stored
    if set(lead.split("/")) != {".."}:
        return lambda stored: f"{lead}/{stored}"
    cut = os.path.relpath(base, top).split("/")  # the root lies inside the repository

    def shortened(stored: str) -> str:
        parts = stored.split("/")
        same = next((at for at, (one, other) in enumerate(zip(parts, cut, strict=False)) if one != other), None)
        common = min(len(parts), len(cut)) if same is None else same
        return "/".join((*([".."] * (len(cut) - common)), *parts[common:]))

    return shortened

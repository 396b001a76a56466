"""What the checks ask Git about a task, each once a run: functions for ``FloorContext.once``."""

from __future__ import annotations

from verify.floor.check import FloorContext
from verify.history.changes import CommitChanges
from verify.history.changes import task_changes as changes_in
from verify.history.derived import History
from verify.history.derived import task_history as history_of
from verify.history.rules import HistoryRules


def task_history(context: FloorContext) -> History:
    """The repositories of the task and its commits; raises as ``verify.history.derived.task_history`` does."""
    rules = HistoryRules.from_policy(context.policies)
    return history_of(context.task.id, context.task.workspace.root, context.framework_root, context.commits, rules)


def task_changes(context: FloorContext) -> tuple[CommitChanges, ...]:
    """What the task's commits changed; raises as ``verify.history.changes.task_changes`` does."""
    return changes_in(context.once(task_history))

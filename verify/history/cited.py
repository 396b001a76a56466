"""Commits that a document cites by their hashes: whether they exist, and what they had a hand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolkit.repository.changes import changes_of, merged_into
from toolkit.repository.commits import commits_from, shallow_commits
from toolkit.repository.git import Git
from toolkit.repository.objects import commits_named
from verify.history.changes import TaskChange, placed_changes
from verify.history.derived import History
from verify.history.places import Placing


class Cited(NamedTuple):
    """What is known of a hash. Null is "nobody can tell": a shallow clone does not hold what would tell it.

    ``touched`` is what the commit changed (for a merge also what it brought to its first parent), of every commit that
    the hash may mean; empty when there is none.
    """

    exists: bool | None
    touched: tuple[TaskChange, ...] | None


def cited_commits(history: History, hashes: Iterable[str]) -> Mapping[str, Cited]:
    """What each (short) hash stands for, in any of the repositories. At most six processes a repository."""
    wanted = list(dict.fromkeys(hashes))
    found: dict[str, list[tuple[TaskChange, ...] | None]] = {text: [] for text in wanted}
    for git in history.repositories:
        meanings = commits_named(git, wanted)
        touched = _touched(git, [oid for oids in meanings.values() for oid in oids], history)
        for text in wanted:
            found[text] += [touched[oid] for oid in meanings[text]]
    cut_off = any(git.shallow for git in history.repositories)
    return {text: _cited(answers, cut_off) for text, answers in found.items()}


def _cited(answers: list[tuple[TaskChange, ...] | None], cut_off: bool) -> Cited:
    if not answers:
        return Cited(None, None) if cut_off else Cited(False, ())
    known = [answer for answer in answers if answer is not None]
    whole = len(known) == len(answers)
    return Cited(True, tuple(change for answer in known for change in answer) if whole else None)


def _touched(git: Git, oids: Iterable[str], history: History) -> Mapping[str, tuple[TaskChange, ...] | None]:
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    commits = commits_from(git, wanted, len(wanted), walk=False)
    own = changes_of(git, wanted)
    brought = merged_into(git, {it.oid: it.parents[0] for it in commits if len(it.parents) > 1})
    placing = Placing.of(git.root, history.workspace, history.declared)
    cut_off = shallow_commits(git)
    return {
        oid: None if oid in cut_off else placed_changes((*brought.get(oid, ()), *own[oid]), placing) for oid in wanted
    }

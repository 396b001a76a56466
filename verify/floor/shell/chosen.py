"""The scripts that a task is about: those that its documents cite, and those that its commits changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolkit.errors import UndeterminedError
from verify.floor.check import FloorContext
from verify.floor.paths import cited_paths, declared_roots, path_rules
from verify.floor.shell.scripts import ScriptRules
from verify.history.places import FRAMEWORK, WORKSPACE
from verify.markdown import Block
from verify.paths import find_citations


def scripts_of(context: FloorContext, rules: ScriptRules) -> Iterator[Path]:
    """The cited ones, then the changed ones; each is a file below a declared root that may be a script."""
    yield from _cited(context)
    yield from _changed(context, rules)


def _cited(context: FloorContext) -> Iterator[Path]:
    """What the task's documents cite and what stands under a declared root: a script may have any name."""
    roots = context.once(declared_roots)
    for document in context.task.own:
        if document is context.task.plan:
            citations = context.once(cited_paths)
        else:
            citations = find_citations(document.blocks, context.once(path_rules), document.lines)
        cited = (reading for citation in citations.paths for reading in (citation.text, *citation.readings))
        for reading in dict.fromkeys((*cited, *_slashed(document.blocks))):
            root = roots.resolve(reading).root
            if root is not None:
                yield root / reading


def _changed(context: FloorContext, rules: ScriptRules) -> Iterator[Path]:
    """What the task's commits changed, by its extension or because it has none; nothing where Git can't tell.

    That Git can't is told by the checks that ask what was changed, and takes nothing from the scripts that are known.
    """
    from verify.floor.changes import task_changes

    try:
        commits = context.once(task_changes)
    except UndeterminedError:
        return
    roots = {WORKSPACE: context.task.workspace.root, FRAMEWORK: context.framework_root}
    changed = {(change.root, change.path) for commit in commits for change in commit.changed}
    for name, path in sorted(changed):
        root, base = roots.get(name), path.rpartition("/")[2]
        named = root is not None and ("." not in base or rules.extension_of(base) is not None)
        if root is not None and named and os.path.lexists(root / path):
            yield root / path


def _slashed(blocks: Iterable[Block]) -> Iterator[str]:
    """The words of inline code with a slash: no citation, and yet `libexec/tool` may be the name of a script."""
    for block in blocks:
        spans = block.spans or [span for cell in block.cells for span in cell.spans]
        yield from (word for span in spans for word in span.text.split() if "/" in word)

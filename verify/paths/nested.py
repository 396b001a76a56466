"""Git repositories nested in a workspace: where a plan's paths may stand when they stand under no declared root."""

from __future__ import annotations

import os
from collections import deque
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from verify.paths.rules import NestedRules

GIT = ".git"


class NestedRepositories(NamedTuple):
    """``found`` are the repositories' folders, relative to the workspace, the shallowest first.

    ``complete`` is false when a bound ended the search: then there may be more.
    """

    found: tuple[str, ...]
    complete: bool


def nested_repositories(workspace: Path, rules: NestedRules) -> NestedRepositories:
    """The folders below ``workspace`` that hold a ``.git`` folder or file, within the bounds of ``rules``.

    Symbolic links are not followed, and a folder that can't be read counts as a bound.
    """
    found: list[str] = []
    complete = True
    entries_left = rules.entries
    queue = deque([("", 0)])
    for _ in range(rules.directories):
        if not queue or len(found) >= rules.repositories:
            break
        place, depth = queue.popleft()
        listing = _folders(workspace / place, entries_left)
        entries_left -= listing.seen
        complete = complete and listing.complete
        if place and listing.repository:
            found.append(place)
        if depth < rules.depth:
            queue.extend((f"{place}/{name}".lstrip("/"), depth + 1) for name in listing.names if name not in rules.skip)
    return NestedRepositories(tuple(found), complete and not queue)


class _Listing(NamedTuple):
    """The folders in a folder, by name; whether it is a repository's; how many entries were seen, and if all."""

    names: tuple[str, ...]
    repository: bool
    seen: int
    complete: bool


def _folders(path: Path, limit: int) -> _Listing:
    names: list[str] = []
    repository = False
    seen = 0
    try:
        with os.scandir(path) as entries:
            for entry in islice(entries, limit):
                seen += 1
                repository = repository or (entry.name == GIT and not entry.is_symlink())
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
            complete = next(entries, None) is None
    except OSError:
        complete = False
    return _Listing(tuple(sorted(names)), repository, seen, complete)

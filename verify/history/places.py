"""Where a path of a repository lies: in the workspace, under another declared root, or elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

WORKSPACE: Final = "workspace"
FRAMEWORK: Final = "framework"
OUTSIDE: Final = "outside"


class Place(NamedTuple):
    """A path as findings cite it, POSIX and relative to ``root``.

    That is ``WORKSPACE``, ``FRAMEWORK`` or, for a path in neither, ``OUTSIDE`` (then relative to its repository).
    """

    path: str
    root: str


class Placing(NamedTuple):
    """How the paths of one repository are placed: the name of each root, what is cut off a path and what is added."""

    cuts: tuple[tuple[str, str, str], ...]

    @classmethod
    def of(cls, repository: Path, workspace: Path, framework: Path | None) -> Placing:
        """``repository`` is the top of a work tree; all are absolute."""
        roots = [(WORKSPACE, workspace)] + ([(FRAMEWORK, framework)] if framework is not None else [])
        cuts = []
        for name, root in roots:
            way = os.path.relpath(repository, os.path.realpath(root))
            if way == ".":
                cuts.append((name, "", ""))
            elif way != ".." and not way.startswith("../"):
                cuts.append((name, "", f"{way}/"))
            elif Path(os.path.realpath(root)).is_relative_to(repository):
                cuts.append((name, f"{os.path.relpath(os.path.realpath(root), repository)}/", ""))
        return cls(tuple(cuts))

    def place(self, path: str) -> Place:
        """Where a path, relative to the repository's root, lies."""
        for name, cut, added in self.cuts:
            if path.startswith(cut):
                return Place(added + path[len(cut) :], name)
        return Place(path, OUTSIDE)

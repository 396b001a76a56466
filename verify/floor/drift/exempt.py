"""Paths that a task may change although its plan does not name them (``verify.drift-exempt``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

from verify.artifacts import ID
from verify.documents.covering import Test, any_glob
from verify.floor.check import FloorContext
from verify.floor.drift.surfaces import ChangedPath

STEM: Final = "{stem}"
Named = tuple[str, object]
"""The stem of a file's name, and what tells the languages of files apart."""


class TestedBy(NamedTuple):
    """How the test of a file is named: what stands before and after its stem; folders of tests; which extensions are
    one language (extension to the number of its row).
    """

    around: tuple[tuple[str, str], ...]
    folders: frozenset[str]
    of_folder: frozenset[str]
    languages: Mapping[str, int]

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> TestedBy:
        """From the payload, whose shape proves the types."""
        halves = (name.partition(STEM) for name in value["names"])
        return cls(
            around=tuple((before, after) for before, _, after in halves),
            folders=frozenset(value["folders"]),
            of_folder=frozenset(value["of_folder"]),
            languages={
                extension: row for row, extensions in enumerate(value["extensions"]) for extension in extensions
            },
        )


class Exempt:
    """Tells which changed paths nobody has to plan: the task's own documents, and what follows from other changes."""

    def __init__(self, context: FloorContext) -> None:
        value = cast("Mapping[str, Any]", context.policies.data("verify.drift-exempt"))
        task = context.task
        own = [place.of(task.id) for place in (*task.rules.documents, *task.rules.shared)]
        own += (glob.replace(ID, task.id) for glob in value["documents"])
        self.is_own_document = any_glob(own)
        """Whether a path, relative to the workspace, is that of a document of the task or an index of all tasks."""
        self._globs: Mapping[str, Sequence[str]] = value["globs"]
        self._tests = TestedBy.of(value["tests"])

    @cached_property
    def _follows(self) -> Test:
        """Whether a path is changed by what changes others: a lock file, a change log, something generated."""
        return any_glob((glob for group in self._globs.values() for glob in group), ignore_case=True)

    def others(
        self, among: Iterable[ChangedPath], changed: Sequence[ChangedPath], planned: Iterable[str]
    ) -> Iterator[ChangedPath]:
        """Those ``among`` the changed paths that are not exempt. ``planned`` are the surface's paths, as written."""
        sources = (*planned, *(one.path for one in changed))
        everywhere = frozenset(name for path in sources for name in self._names(path))
        outside = frozenset(name for path in sources if not self._in_tests(path) for name in self._names(path))
        for one in among:
            exempt = self.is_own_document(one.path) or self._follows(one.path) or self._follows(one.stored)
            if not exempt and not self._is_test(one.path, everywhere, outside):
                yield one

    def _is_test(self, path: str, everywhere: frozenset[Named], outside: frozenset[Named]) -> bool:
        """Whether a path is named as the test of one of the files, or as one of those ``outside`` of all tests."""
        name, language = self._name(path)
        for before, after in self._tests.around:
            if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
                stem = name[len(before) : len(name) - len(after)]
                if (stem, language) in everywhere:
                    return True
        return (name, language) in outside and self._in_tests(path)

    def _in_tests(self, path: str) -> bool:
        return not self._tests.folders.isdisjoint(path.split("/")[:-1])

    def _names(self, path: str) -> Iterator[Named]:
        """What a test of the file may be named after: its stem, or that of its folder."""
        stem, language = self._name(path)
        yield stem, language
        folder = path.split("/")[-2:-1]
        if folder and stem in self._tests.of_folder:
            yield folder[0], language

    def _name(self, path: str) -> Named:
        name = path.rpartition("/")[2]
        stem, _, extension = name.rpartition(".")
        if not stem:
            stem, extension = name, ""
        kind = extension.lower()
        return stem, self._tests.languages.get(kind, kind)

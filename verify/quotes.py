"""Whether a quotation stands in the file that it names (*Self-verification*, verifiability rule).

The answer has three values. A quotation that is found is true, one that is not found is false, and where nobody could
look, or where a hit would prove nothing, it is neither: unchecked, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.errors import StorageError
from toolkit.storage.files import read_bounded
from verify.evidence import FindingLimits
from verify.references import Reference, split_reference
from verify.source_text import Answer, Source, flat, on_cited_lines, search
from verify.terms import FLOOR

if TYPE_CHECKING:
    from verify.task import Workspace


class QuoteChecker:
    """Looks quotations up inside one workspace, reading each file at most once.

    A path is tried below the workspace's root, below its ``datarim/``, and as the bare name of one of the task's
    ``artifacts`` (bare file name to path). Whatever leaves the root, by ``..``, by an absolute path or through a
    link, is never opened. ``held`` are texts that the run has read already, by their paths below the root: a quote is
    looked up in what was judged, and not in what stands there now.
    """

    def __init__(
        self,
        workspace: Workspace,
        limits: FindingLimits,
        artifacts: Mapping[str, Path] | None = None,
        held: Mapping[str, str] | None = None,
    ) -> None:
        self._root = workspace.root
        self._bases = (workspace.root, workspace.datarim)
        self._real_root = os.path.realpath(workspace.root)
        self._limits = limits
        self._artifacts = dict(artifacts or {})
        self._held = dict(held or {})
        self._read: dict[str, Source | str] = {}
        self._named: dict[str, _File | _Refused | None] = {}  # what was looked up, by the name that asked for it

    def check(self, source: str, excerpt: str, layer: str) -> Answer:
        """Whether ``excerpt`` stands in the file of ``source`` (``path``, ``path:line`` or ``path:start-end``).

        Runs of white space are equal, line breaks included, and the whole excerpt must stand there, up to its
        truncation suffix. It may stand elsewhere in the file than cited, and the diagnostic then says where. An
        excerpt under the minimum proves nothing, except on the floor, whose own must stand on the cited line.
        """
        whole = flat(excerpt)
        body = flat(excerpt.rstrip().removesuffix(self._limits.excerpt_suffix))
        short = len(body) < self._limits.excerpt_min
        if short and layer != FLOOR:
            return None, f"the quote has fewer than {self._limits.excerpt_min} characters, so finding it proves nothing"
        try:
            file, reference = self._locate(source)
        except _Refused as refusal:
            return refusal.answer
        text = self._source(file)
        if isinstance(text, str):
            return None, text
        return on_cited_lines(text, reference, excerpt) if short else search(text, reference, (whole, body))

    def locate(self, reference: str) -> str:
        """``reference`` with its path relative to the workspace's root where it names a file there, else as it is."""
        try:
            file, parts = self._locate(reference)
        except _Refused:
            return reference
        return Reference(file.relative, parts.start, parts.end).normalised()

    def _locate(self, text: str) -> tuple[_File, Reference]:
        """A file inside the workspace, and the reference that named it. Raises ``_Refused``."""
        reference = split_reference(text)
        for candidate in dict.fromkeys((reference, Reference(text))):  # a colon and digits may also end a file's name
            file = self._existing(candidate.path)
            if file is not None:
                return file, candidate
        raise _Refused(False, f"{reference.path} does not exist in the workspace: the quote may be invented")

    def _existing(self, name: str) -> _File | None:
        """What ``name`` names inside the workspace, or null where nothing has that name. Looked up once a run."""
        if name not in self._named:
            try:
                self._named[name] = self._looked_up(name)
            except _Refused as refusal:
                self._named[name] = refusal
        found = self._named[name]
        if isinstance(found, _Refused):
            raise found.with_traceback(None)
        return found

    def _looked_up(self, name: str) -> _File | None:
        places = [os.path.normpath(base / name) for base in self._bases]
        if name in self._artifacts:
            places.append(os.path.normpath(self._root / self._artifacts[name]))
        relatives = [self._relative(place) for place in places]
        for place, relative in zip(places, relatives, strict=True):
            real = None if relative is None else _real_path(place, name)
            if relative is None or real is None:
                continue
            if not _below(real, self._real_root):
                raise _Refused(None, f"{name} is a link that leaves the workspace, so it was not read")
            return _File(relative, real)
        if None in relatives:
            raise _Refused(None, f"{name} leaves the workspace, so it was not read")
        return None

    def _relative(self, place: str) -> str | None:
        """``place`` below the workspace's root, under either of the names that the root may have, or null."""
        for root in (os.fspath(self._root), self._real_root):
            if _below(place, root):
                return os.path.relpath(place, root)
        return None

    def _source(self, file: _File) -> Source | str:
        """The file's text, or the reason why there is none."""
        if file.real not in self._read and file.relative in self._held:
            text = self._held[file.relative]
            self._read[file.real] = Source(text, plain="\0" not in text)
        if file.real not in self._read:
            try:
                self._read[file.real] = Source.of(read_bounded(Path(file.real), self._limits.source_max_bytes))
            except StorageError as error:
                message = error.message.replace(file.real, file.relative)
                self._read[file.real] = f"the quote could not be looked up: {message}"
        return self._read[file.real]


class _File(NamedTuple):
    """A file of the workspace: its path below the root as named, and its path without links."""

    relative: str
    real: str


class _Refused(Exception):
    """No file to look into; ``answer`` says what that means."""

    def __init__(self, found: bool | None, diagnostic: str) -> None:
        super().__init__(diagnostic)
        self.answer: Answer = (found, diagnostic)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _real_path(path: str, name: str) -> str | None:
    """``path`` without links, or null where it does not exist. Raises ``_Refused`` where that can't be told."""
    try:
        return os.path.realpath(path, strict=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # a loop of links, no right to look, a name that no file can have
        reason = getattr(error, "strerror", None) or "no file can have that name"
        raise _Refused(None, f"{name} can't be looked up: {reason.lower()}") from error

"""Whether reproducible evidence is wired: its artifact is there, or something that runs names it (Datarim formats)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from verify.captured import SHOWN, Problem
from verify.errors import VerificationUndetermined
from verify.expectations.reading import Expectations
from verify.expectations.rules import WiringRules
from verify.expectations.wishes import Wish
from verify.workspace import Workspace

NOT_WIRED: Final = "verification-not-wired"
GIT: Final = ".git"
NAMED: Final = 5  # names in a message


class Wiring:
    """Answers for the checklists of one workspace; the files that run things are read once for all of them.

    ``most_links``: how many links the look-up of an artifact may pass.
    """

    def __init__(self, workspace: Workspace, rules: WiringRules, most_links: int) -> None:
        self._rules = rules
        self._most_links = most_links
        self._roots = tuple(dict.fromkeys((workspace.root, _repository(workspace.root))))
        self._search = _Search(rules, self._roots)

    def unwired(self, expectations: Expectations) -> tuple[Problem, ...]:
        """A problem for each wish whose evidence is said to be reproducible and is wired nowhere.

        An artifact that is a file under the workspace or the repository around it is wired; so is one whose name
        stands, as a whole token, in a file that runs things. Raises ``VerificationUndetermined`` where what was looked
        for may stand in what could not be read.
        """
        asked = [wish for wish in expectations.wishes if wish.verification_mode == self._rules.mode]
        missing = [wish for wish in asked if not self._is_file(wish.evidence_artifact.value)]
        names = {wish.evidence_artifact.value for wish in missing if wish.evidence_artifact.value}
        unnamed, incomplete = self._search.unnamed(names)
        if unnamed and incomplete:
            shown = ", ".join(visible(name, SHOWN) for name in sorted(unnamed)[:NAMED])
            raise VerificationUndetermined(
                "wiring_undetermined",
                f"whether anything runs {shown} could not be determined: {incomplete}",
                place=expectations.path,
                next_step="name a file that exists as evidence_artifact, or raise the bounds in verify.expectations",
            )
        return tuple(_problem(wish) for wish in missing if wish.evidence_artifact.value in {"", *unnamed})

    def _is_file(self, text: str) -> bool:
        from verify.paths.roots import Outcome, Roots

        path = re.sub(r":[0-9]{1,9}\Z", "", text)
        if not path:
            return False
        found = Roots(self._roots, self._most_links).resolve(path)
        if found.outcome is not Outcome.RESOLVED or found.root is None:
            return False
        try:
            return stat.S_ISREG(os.stat(found.root / path).st_mode)
        except OSError:
            return False


def _problem(wish: Wish) -> Problem:
    said = wish.evidence_artifact
    what = "it names no evidence_artifact"
    if said.value:
        what = f"{visible(said.value, SHOWN)} is no file, and nothing that runs names it"
    shown = visible(wish.name, SHOWN)
    message = f"{NOT_WIRED}: the verification of {shown!r} is said to be reproducible, but {what}"
    return Problem(said.line or wish.line, NOT_WIRED, message)


def _repository(root: Path) -> Path:
    """The directory of the repository that holds ``root``, else ``root`` itself."""
    return next((folder for folder in (root, *root.parents) if os.path.lexists(folder / GIT)), root)


class _Search:
    """Looks through the files of some directories for names, each file read once, within the bounds of the policy."""

    def __init__(self, rules: WiringRules, roots: Iterable[Path]) -> None:
        self._rules = rules
        self._entries = 0
        self._bytes = 0
        self._incomplete: str | None = None
        self._known: list[str] = []
        self._unread = self._files(roots)

    def unnamed(self, names: Iterable[str]) -> tuple[set[str], str | None]:
        """Those of ``names`` that stand in no file, and why that may not be true of them all (else null)."""
        wanted = {name: re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") for name in names}
        if len(wanted) > self._rules.max_names:
            return set(wanted), f"more than {self._rules.max_names} names were looked for"
        for text in self._texts() if wanted else ():
            for name in [name for name in wanted if name in text and wanted[name].search(text)]:
                del wanted[name]
            if not wanted:
                break
        return set(wanted), self._incomplete

    def _texts(self) -> Iterator[str]:
        """The text of every file: those that were read before, then the others."""
        yield from self._known
        for path in self._unread:
            self._known.append(self._read(path))
            yield self._known[-1]

    def _files(self, roots: Iterable[Path]) -> Iterator[Path]:
        """Every plain file that may run things, links not followed; a directory is listed once."""
        seen: set[Path] = set()
        for root in roots:
            pending = [root]
            while pending:
                folder = pending.pop()
                if folder in seen:
                    continue
                seen.add(folder)
                for entry in self._listing(folder):
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in self._rules.skipped:
                            pending.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False) and entry.name.endswith(self._rules.suffixes):
                        yield Path(entry.path)

    def _listing(self, folder: Path) -> list[os.DirEntry[str]]:
        if self._entries > self._rules.max_entries:
            self._incomplete = f"more than {self._rules.max_entries} directory entries"
            return []
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as fault:
            self._incomplete = f"{visible(str(folder))} can't be listed: {fault.strerror}"
            return []
        self._entries += len(found)
        return found

    def _read(self, path: Path) -> str:
        if self._bytes > self._rules.max_total_bytes:
            self._incomplete = f"more than {self._rules.max_total_bytes} bytes"
            return ""
        try:
            data = read_bounded(path, self._rules.max_file_bytes)
        except StorageError as fault:
            self._incomplete = f"{visible(str(path))} can't be read: {fault.message}"
            return ""
        self._bytes += len(data)
        return data.decode("utf-8", "replace")

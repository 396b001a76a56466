"""The documents of a task: where they may stand, and reading one without being led astray by what stands there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from unicodedata import category

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.canonical import bytes_digest
from toolkit.storage.files import read_bounded
from verify.errors import WorkspaceError
from verify.frontmatter import FrontMatter, read_front_matter
from verify.markdown import Block, split_lines
from verify.parsed import blocks_of
from verify.words import folded, folded_in_order
from verify.workspace import OUTSIDE, Workspace

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

ID: Final = "{id}"
ANY: Final = "*"
BYTE_ORDER_MARK: Final = "\ufeff"


class Place(NamedTuple):
    """Where documents of one kind stand: a path below the root, with ``{id}`` and at most one ``*`` in a name."""

    kind: str
    path: str

    def of(self, task_id: str) -> str:
        return self.path.replace(ID, task_id)


class ComplexityRules(NamedTuple):
    """Where a task's level is looked up, in which order, and how it is written (spelling, case-folded, to level).

    ``as_key`` holds spellings that mean a level only as the value of the front matter's ``key``.
    """

    order: tuple[str, ...]
    key: str
    labels: tuple[str, ...]
    default: str
    written: Mapping[str, str]
    as_key: Mapping[str, str]


class ColumnRules(NamedTuple):
    """How a table among the index rows calls its columns; the headers are case-folded, the likeliest id first."""

    ids: tuple[str, ...]
    statuses: tuple[str, ...]
    levels: tuple[str, ...]


class ArtifactRules(NamedTuple):
    """``verify.artifacts`` as code uses it. ``document_max`` is in bytes; ``archived_statuses`` are case-folded.

    ``archived_rows`` are the kinds of shared documents whose rows say a status.
    """

    task_id: str
    task_id_max: int
    document_max: int
    documents: tuple[Place, ...]
    shared: tuple[Place, ...]
    separator: str
    columns: ColumnRules
    complexity: ComplexityRules
    archived_kind: str
    status_key: str
    archived_statuses: frozenset[str]
    archived_rows: tuple[str, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ArtifactRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.artifacts"))
        return cls(
            task_id=value["task_id"],
            task_id_max=value["task_id_max"],
            document_max=value["document_max_bytes"],
            documents=tuple(Place(place["kind"], place["path"]) for place in value["documents"]),
            shared=tuple(Place(place["kind"], place["path"]) for place in value["shared"]),
            separator=value["separator"],
            columns=ColumnRules(*(folded_in_order(value["columns"][key]) for key in ("ids", "statuses", "levels"))),
            complexity=_complexity_rules(value["complexity"]),
            archived_kind=value["archived"]["kind"],
            status_key=value["archived"]["key"],
            archived_statuses=folded(value["archived"]["statuses"]),
            archived_rows=tuple(value["archived"]["rows"]),
        )


def _complexity_rules(value: Mapping[str, Any]) -> ComplexityRules:
    def spellings(key: str) -> dict[str, str]:
        return {written.casefold(): level["level"] for level in value["levels"] for written in level[key]}

    return ComplexityRules(
        order=tuple(value["order"]),
        key=value["key"],
        labels=tuple(value["labels"]),
        default=value["default"],
        written=spellings("written"),
        as_key=spellings("as_key"),
    )


@dataclass(frozen=True)
class Artifact:
    """A document, read once. ``path`` is relative to the workspace's root (POSIX), ``digest`` is of its bytes.

    ``text`` has no byte order mark and keeps its line endings; ``lines`` are its lines without them, verbatim.
    """

    kind: str
    path: str
    text: str
    digest: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return split_lines(self.text)

    @cached_property
    def front_matter(self) -> FrontMatter:
        return read_front_matter(self.lines)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The document's Markdown, parsed once, with line numbers of the whole file.

        Front matter is left out, but only when it is really some: what begins with a rule and can't be read as
        front matter is content, and nothing in it may hide.
        """
        end = self.front_matter.end_line if self.front_matter.values else 0
        return blocks_of("\n" * end + "\n".join(self.lines[end:]))

    def line(self, number: int) -> str:
        """The line ``number`` (1-based), verbatim; empty beyond the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def find_documents(place: Place, task_id: str, workspace: Workspace, limit: int) -> Iterator[Artifact]:
    """The documents at ``place``, in order of name. ``limit`` is the largest size that is read, in bytes.

    Raises what ``read_document`` raises, and ``WorkspaceError`` (``bad_file_name``) for a name that is no text.
    """
    for path in _candidates(workspace, place.of(task_id).split("/")):
        artifact = read_document(place.kind, path, workspace, limit)
        if artifact is not None:
            yield artifact


def read_document(kind: str, path: str, workspace: Workspace, limit: int) -> Artifact | None:
    """The document at ``path`` (relative to the root), or null where nothing stands.

    Raises ``WorkspaceError`` with the code ``path_outside_workspace`` (a link leads out), ``not_a_regular_file``,
    ``file_too_large`` or ``invalid_utf8``; ``StorageError`` when it is there and can't be read.
    """
    real = _inside(workspace, path)
    try:
        data = read_bounded(real, limit)
    except StorageError as fault:
        if fault.code == "not_found" and not os.path.lexists(workspace.root / path):
            return None
        raise _translated(fault, path, real, limit) from fault
    return Artifact(kind, path, _decoded(data, path), bytes_digest(data))


def _candidates(workspace: Workspace, names: list[str], found: str = "") -> Iterator[str]:
    """Relative paths that ``names`` can mean; only a ``*`` is looked up on disk."""
    plain = 0
    while plain < len(names) and ANY not in names[plain]:
        plain += 1
    found = "/".join((*filter(None, (found,)), *names[:plain]))
    if plain == len(names):
        yield found
        return
    before, _, after = names[plain].partition(ANY)
    shortest = len(before) + len(after)
    for name in _listing(workspace, found):
        if len(name) > shortest and name.startswith(before) and name.endswith(after):
            _require_text(name, found)
            yield from _candidates(workspace, [name, *names[plain + 1 :]], found)


def _require_text(name: str, folder: str) -> None:
    """A name becomes part of references and reports, so it must be text on one line."""
    if any(category(char) in {"Cc", "Cs"} for char in name):  # Cs: bytes that are no UTF-8
        shown = visible(f"{folder}/{name}")
        message = f"the name {shown} holds control characters or is not UTF-8"
        raise WorkspaceError("bad_file_name", message, place=shown, next_step="rename the file")


def _listing(workspace: Workspace, folder: str) -> list[str]:
    """The names in a folder of the workspace, sorted; none where there is no such folder."""
    real = _inside(workspace, folder)
    try:
        return sorted(entry.name for entry in real.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as fault:
        message = f"{visible(folder)} can't be listed: {fault.strerror}"
        step = "give this user the right to read it"
        raise StorageError("not_readable", message, place=visible(folder), next_step=step) from fault


def _inside(workspace: Workspace, path: str) -> Path:
    """``path`` below the root with its links resolved. Raises ``WorkspaceError`` where they lead out."""
    real = Path(os.path.realpath(workspace.root / path))
    if workspace.root not in real.parents:
        raise WorkspaceError(
            OUTSIDE,
            f"{visible(path)} is a link to {visible(str(real))}, outside of the workspace, and is not followed",
            place=visible(path),
            next_step="put the document itself there",
        )
    return real


def _translated(fault: StorageError, path: str, real: Path, limit: int) -> WorkspaceError | StorageError:
    shown = visible(path)
    if fault.code == "too_large":
        message = f"{shown} has {_size(real)} bytes; a document has at most {limit}"
        step = "split the document, or raise document_max_bytes in verify.artifacts"
        return WorkspaceError("file_too_large", message, place=shown, next_step=step)
    if fault.code == "not_regular":
        message = f"{shown} is no regular file"
        return WorkspaceError("not_a_regular_file", message, place=shown, next_step="put the document itself there")
    if fault.code in {"is_symlink", "not_found"}:
        message = f"{shown} is a link that leads to no file"
        return WorkspaceError("not_a_regular_file", message, place=shown, next_step="mend or remove the link")
    return StorageError(fault.code, f"{shown} can't be read: {fault.message}", place=shown, next_step=fault.next_step)


def _size(real: Path) -> int | str:
    try:
        return real.stat().st_size
    except OSError:  # gone since it was found too large
        return "too many"


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        column = fault.start - data.rfind(b"\n", 0, fault.start)
        message = f"{visible(path)} is not UTF-8: {fault.reason} at byte {fault.start}"
        raise WorkspaceError(
            "invalid_utf8",
            message,
            place=f"{visible(path)}:{line}:{column}",
            next_step="save the document as UTF-8",
        ) from fault

"""The header of a log, for counting: by the strict reader, and of other tools' logs as it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toolkit.errors import StorageError
from toolkit.storage.files import read_bounded
from verify.audit.front_matter import Bounds, Unreadable, load
from verify.audit.reader import OUR_KEYS, read_log
from verify.audit.seal import seal_of

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.statistics.rules import LogRules

TRUE = "true"


def read_header(path: Path, policies: PolicySet, rules: LogRules) -> Mapping[str, Any]:
    """The header of the log at ``path``.

    What the strict reader refuses for its fields alone may be another tool's log: it counts where its header is YAML
    and has one of the marks of a log. Raises ``StorageError`` as ``read_log`` does.
    """
    try:
        return read_log(path, policies).header
    except StorageError as error:
        foreign = _foreign_header(path, policies, rules) if error.code == "log_unreadable" else None
        if foreign is None:
            raise
        return foreign


def read_text(path: Path, policies: PolicySet) -> str:
    """A log as text, whatever its bytes. Raises ``StorageError`` as ``read_bounded`` does."""
    limits = cast("Mapping[str, int]", policies.data("verify.limits"))
    return read_bounded(path, limits["log_max_bytes"]).decode("utf-8", "replace")


def records_of(header: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """The mappings in the lists under ``keys``; what is no list of mappings holds none."""
    for key in keys:
        value = header.get(key)
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, Mapping):
                yield entry


def is_true(value: object) -> bool:
    """Whether a value says true, as YAML's word or as text."""
    return value is True or (isinstance(value, str) and value.strip().casefold() == TRUE)


def _foreign_header(path: Path, policies: PolicySet, rules: LogRules) -> Mapping[str, Any] | None:
    text = read_text(path, policies)
    if seal_of(text.encode()) is not None:
        return None
    try:
        header = load(text.removeprefix("\ufeff"), Bounds.from_policy(policies))
    except Unreadable:
        return None
    return header if rules.marks & header.keys() and not OUR_KEYS & header.keys() else None

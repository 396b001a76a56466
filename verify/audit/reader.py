"""Reading audit logs back: strictly, within bounds, ours and those of the reference's shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from toolkit.errors import StorageError
from toolkit.storage.files import read_bounded
from verify.audit.front_matter import FENCE, Bounds, Unreadable, load
from verify.audit.places import LogName, log_folder, names_in
from verify.audit.record import KNOWN, SCHEMA, WAIVED, AuditLog, LoggedFinding, LogSummary
from verify.audit.seal import seal_of
from verify.merging import key_of
from verify.terms import DISPATCH, RAN

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace

# How a log of ours begins; a file that begins so and has no seal was cut short.
OPENING: Final = f"{FENCE}schema: {SCHEMA}\n".encode()
# What only this tool writes: a log with one of these and no seal is one of ours that lost it, however it is spelt.
OUR_KEYS: Final = frozenset({"schema", "policy_digest", "run_id", "tool_version"})


def list_logs(
    workspace: Workspace, policies: PolicySet, task_id: str | None = None, stage: str | None = None
) -> tuple[LogSummary, ...]:
    """The logs of a workspace, of one task or of one stage, sorted by task, stage and number.

    A log that can't be read is listed with its problem. Raises as ``log_folder`` and ``names_in`` do.
    """
    return tuple(
        _summary(folder / name.file_name, name, policies) for folder, name in _named(workspace, task_id, stage)
    )


def log_names(workspace: Workspace, task_id: str | None = None, stage: str | None = None) -> tuple[LogName, ...]:
    """The names of the same logs, without reading any."""
    return tuple(name for _, name in _named(workspace, task_id, stage))


def read_log(path: Path, policies: PolicySet) -> AuditLog:
    """One log, whole.

    Raises ``StorageError``: what ``read_bounded`` raises, ``log_incomplete`` for one that was cut short,
    ``log_digest_differs`` for one that was changed, ``log_unreadable`` for what is no log.
    """
    limit = cast("Mapping[str, int]", policies.data("verify.limits"))["log_max_bytes"]
    data = read_bounded(path, limit)
    sealed = _sealed(data, path)
    try:
        header = load(data.decode("utf-8-sig"), Bounds.from_policy(policies))
        if not sealed and OUR_KEYS & header.keys():
            _fail_incomplete(path)
        return _log(header, path, sealed)
    except (Unreadable, UnicodeDecodeError) as error:
        _fail("log_unreadable", path, f"is no audit log: {error}", error)


def _named(workspace: Workspace, task_id: str | None, stage: str | None) -> Iterator[tuple[Path, LogName]]:
    folder = log_folder(workspace)
    for name in sorted(names_in(folder)):
        if task_id in (None, name.task_id) and stage in (None, name.stage):
            yield folder, name


def _summary(path: Path, name: LogName, policies: PolicySet) -> LogSummary:
    try:
        log = read_log(path, policies)
    except StorageError as error:
        return LogSummary(path, name.task_id, name.stage, name.iter, None, None, error.code)
    finished = log.header.get("finished_at")
    told = finished if isinstance(finished, str) else None
    return LogSummary(path, name.task_id, name.stage, name.iter, log.verdict, told, None, log.sealed)


def _sealed(data: bytes, path: Path) -> bool:
    """Whether the log ends in its seal; false for another tool's. Raises for one of ours that has no right seal."""
    right = seal_of(data)
    if right is False:
        _fail("log_digest_differs", path, "was changed after it was written: its digest differs")
    if right is None and (data.startswith(OPENING) or OPENING.startswith(data)):
        _fail_incomplete(path)
    return right is True


def _fail_incomplete(path: Path) -> NoReturn:
    _fail("log_incomplete", path, "was cut short: its last line is missing")


def _log(header: dict[str, Any], path: Path, sealed: bool) -> AuditLog:
    fields = _Fields(header, "the log")
    return AuditLog(
        path=path,
        task_id=fields.text("task_id"),
        stage=fields.text("stage"),
        iter=fields.integer("iter"),
        verdict=fields.text_or("verdict", None),
        findings=tuple(map(_finding, fields.records("valid_findings"))),
        artifacts=fields.texts_by_name("artifacts"),
        layers_run=frozenset(layer.text("layer") for layer in fields.records("layers") if layer.text("status") == RAN),
        header=header,
        sealed=sealed,
        waived=tuple(map(_finding, fields.records(WAIVED))),
        known=tuple(map(_finding, fields.records(KNOWN))),
    )


def _finding(fields: _Fields) -> LoggedFinding:
    """Logs of the first generation name no layer: all their findings were dispatched."""
    layer = fields.text_or("source_layer", None) or DISPATCH
    origins = {origin.text_or("source_layer", None) or DISPATCH for origin in fields.records("origins")}
    return LoggedFinding(
        key=key_of(fields.text("artifact_ref"), fields.texts("ac_criteria"), fields.text("category")),
        finding_id=fields.text_or("finding_id", None) or "",
        source_layer=layer,
        layers=frozenset(origins or {layer}),
        severity=fields.text("severity"),
        discarded=fields.truth("discarded"),
        record=fields.values,
    )


class _Fields(NamedTuple):
    """A mapping of a log whose values are read by type. Raises ``Unreadable`` for the wrong one, never guesses."""

    values: Mapping[str, Any]
    subject: str

    def text(self, name: str) -> str:
        return cast("str", self._typed(name, str, self.values.get(name)))

    def text_or(self, name: str, default: str | None) -> str | None:
        value = self.values.get(name)
        return default if value is None else self.text(name)

    def integer(self, name: str) -> int:
        return cast("int", self._typed(name, int, self.values.get(name)))

    def truth(self, name: str) -> bool:
        return self._typed(name, bool, self.values.get(name, False)) is True

    def texts(self, name: str) -> list[str]:
        items = self._typed(name, list, self.values.get(name, []))
        return [cast("str", self._typed(name, str, item)) for item in items]

    def texts_by_name(self, name: str) -> dict[str, str]:
        items = self._typed(name, dict, self.values.get(name, {}))
        return {key: cast("str", self._typed(name, str, item)) for key, item in items.items()}

    def records(self, name: str) -> list[_Fields]:
        items = self._typed(name, list, self.values.get(name, []))
        return [_Fields(self._typed(name, dict, item), f"an entry of {name}") for item in items]

    def _typed(self, name: str, kind: type, value: object) -> Any:
        if type(value) is not kind:
            raise Unreadable(f"{name} of {self.subject} is missing or no {kind.__name__}")
        return value


def _fail(code: str, path: Path, what: str, cause: Exception | None = None) -> NoReturn:
    next_step = "put the original back from version control or a backup, or remove the file and say so in a commit"
    raise StorageError(code, f"{path.name} {what}", place=str(path), next_step=next_step) from cause

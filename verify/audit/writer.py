"""Writing an audit log: redacted, rendered, sealed with a digest, and published under a number of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from toolkit.errors import StorageError
from toolkit.storage.files import make_directory, publish_new
from verify.audit import body, front_matter
from verify.audit.places import LogName, log_folder, next_iteration, parse_name
from verify.audit.record import DECISIONS, KNOWN, LEFT_OUT, SCHEMA, WAIVED, AuditRecord
from verify.audit.seal import sealed
from verify.decisions import Decided
from verify.errors import WorkspaceError
from verify.evidence import clip
from verify.findings import Admitted, Malformed
from verify.redaction import Redactor, well_formed
from verify.waivers.applying import Waived
from verify.waivers.waiver import Waiver

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace

READ_ONLY: Final = 0o444
# Redaction may shorten a text: so many times the shown length is redacted before a raw output is cut.
WINDOW: Final = 4


class Written(NamedTuple):
    """Where a log stands, and the number that it was given."""

    path: Path
    iter: int


def write_log(record: AuditRecord, workspace: Workspace, policies: PolicySet) -> Written:
    """Write the log of a run as ``datarim/qa/verify-{task}-{stage}-{iter}.md``, read-only.

    The number is the next free one; two runs at once get one each, and nothing is ever replaced. Raises
    ``StorageError`` where the log can't be written, ``WorkspaceError`` where it would leave the workspace.
    """
    folder = log_folder(workspace)
    make_directory(folder)
    limit = cast("Mapping[str, int]", policies.data("verify.limits"))["log_max_bytes"]
    clean = _redacted(record, policies)
    iteration = 0
    while True:
        iteration = max(iteration + 1, next_iteration(workspace, record.task_id, record.stage))
        name = _name(record, iteration)
        data = render(replace(clean, iter=iteration), policies)
        if len(data) > limit:
            message = f"the log of this run has {len(data)} bytes, and {limit} can be read back"
            raise StorageError(
                "log_too_large", message, place=str(folder), next_step="raise verify.limits log_max_bytes"
            )
        if publish_new(folder / name, data, READ_ONLY):
            return Written(folder / name, iteration)


def render(record: AuditRecord, policies: PolicySet) -> bytes:
    """The bytes of a log: front matter, a part for people, and the seal, a digest of all bytes before it."""
    return sealed((front_matter.dump(header(record)) + body.render(record, policies)).encode())


def header(record: AuditRecord) -> dict[str, object]:
    """The front matter of a record: the reference's keys and ours."""
    return {
        "schema": SCHEMA,
        "task_id": record.task_id,
        "stage": record.stage,
        "iter": record.iter,
        "runtime": record.runtime,
        "max_iter": record.max_iter,
        "cost_consumed_tokens": record.cost_consumed_tokens,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "verdict": record.verdict,
        "verified": record.verified,
        "exit": record.exit,
        "exit_reason": record.exit_reason,
        "source_layer_breakdown": dict(record.source_layer_breakdown),
        "decided_by": dict(record.decided_by),
        DECISIONS: [decided.to_json() for decided in record.decisions],
        LEFT_OUT: record.decisions_left_out,
        "policy_digest": record.policy_digest,
        "tool_version": record.tool_version,
        "run_id": record.run_id,
        "passes": record.passes,
        "roots": list(record.roots),
        "commits": list(record.commits),
        "commits_from": record.commits_from,
        "artifacts": {well_formed(path): digest for path, digest in record.artifacts.items()},
        "checks": [line._asdict() for line in record.checks],
        "layers": [line._asdict() for line in record.layers],
        "warnings": list(record.warnings),
        "waivers": record.waivers.to_json(),
        "baseline": _baseline(record),
        "valid_findings": [_entry(admitted) for admitted in record.findings],
        WAIVED: [_waived(one) for one in record.waived],
        KNOWN: [_entry(admitted) for admitted in record.compared.known] if record.compared else [],
        "malformed": [malformed.to_json() for malformed in record.malformed],
        "raw_outputs": [output._asdict() for output in record.raw_outputs],
    }


def _entry(admitted: Admitted) -> dict[str, object]:
    """A finding as it is logged; one that stands alone is not repeated as its own origin."""
    return (admitted if len(admitted.origins) > 1 else replace(admitted, origins=())).to_json()


def _waived(one: Waived) -> dict[str, object]:
    return {**_entry(one.admitted), "waiver": one.waivers[0].to_json()}


def _baseline(record: AuditRecord) -> dict[str, object] | None:
    """Which baseline the run was held against; the findings that it knows stand among the others."""
    if record.compared is None:
        return None
    return {"file": record.compared.file, "digest": record.compared.digest, "fixed": record.compared.fixed}


def _name(record: AuditRecord, iteration: int) -> str:
    """The file name; read back before it is used, so that no id can name a place elsewhere."""
    name = LogName(record.task_id, record.stage, iteration)
    if parse_name(name.file_name) != name:
        message = f"no log can be called {name.file_name[:200]!a}"
        raise WorkspaceError("bad_log_name", message, next_step="use a task id such as ABC-0001 and a known stage")
    return name.file_name


def _redacted(record: AuditRecord, policies: PolicySet) -> AuditRecord:
    """The record with secrets taken out of everything that did not come through admission, and raw outputs cut."""
    redactor = Redactor.from_policy(policies)
    limits = cast("Mapping[str, Any]", policies.data("verify.limits"))
    limit, suffix = limits["raw_output_max"], limits["excerpt_suffix"]

    def shortened(text: str) -> str:
        """The beginning of a text; of a long one only as much is searched for secrets as may be shown."""
        shown = redactor.text(text[: WINDOW * limit])
        return clip(shown if len(text) <= WINDOW * limit else shown + suffix, limit, suffix)

    def refused(malformed: Malformed) -> Malformed:
        """A record that is too long is shown as the beginning of its text."""
        try:
            text = json.dumps(malformed.record, ensure_ascii=False)
        except RecursionError:  # redaction cuts it off where it gets too deep
            return redactor.malformed(malformed)
        if len(text) <= limit:
            return redactor.malformed(malformed)
        return replace(redactor.malformed(replace(malformed, record=None)), record=shortened(text))

    def spoken(waiver: Waiver) -> Waiver:
        text = None if waiver.text is None else shortened(waiver.text)
        return waiver._replace(text=text, reason=shortened(waiver.reason), owner=shortened(waiver.owner))

    decisions = _kept(record.decisions, redactor, policies)
    return replace(
        record,
        decisions=decisions,
        decisions_left_out=len(record.decisions) - len(decisions),
        commits_from=None if record.commits_from is None else shortened(record.commits_from),
        waived=tuple(one._replace(waivers=tuple(map(spoken, one.waivers))) for one in record.waived),
        waivers=record.waivers._replace(
            unused=tuple(map(spoken, record.waivers.unused)), expired=tuple(map(spoken, record.waivers.expired))
        ),
        checks=tuple(line._replace(detail=shortened(line.detail)) for line in record.checks),
        layers=tuple(line._replace(reason=shortened(line.reason)) for line in record.layers),
        warnings=tuple(map(shortened, record.warnings)),
        malformed=tuple(map(refused, record.malformed)),
        raw_outputs=tuple(output._replace(text=shortened(output.text)) for output in record.raw_outputs),
    )


def _kept(decisions: tuple[Decided, ...], redactor: Redactor, policies: PolicySet) -> tuple[Decided, ...]:
    """The decisions that are logged: as many as a log holds, and none that would say anything which is taken out.

    With a part of it replaced it would be another question.
    """
    most = cast("Mapping[str, int]", policies.data("verify.log"))["decisions_max"]
    whole = (one for one in decisions if redactor.value(one.to_json()) == one.to_json())
    return tuple(islice(whole, most))

"""Admission of findings: the one door through which a record becomes a finding that counts.

What a layer sends is read strictly, by the schema of ``verify.finding`` (*Self-verification*, the seven rules). What
breaks it is kept apart and shown. What a record claims about its own id, layer, origin or verification is not read:
code knows better. Then evidence is looked up, secrets are taken out, and ids are given, in that order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

from verify.decisions import Questions
from verify.evidence import FindingLimits, clip
from verify.findings import Admitted, Evidence, Finding, Malformed
from verify.patterns import compiled
from verify.quotes import QuoteChecker
from verify.redaction import Redactor, well_formed
from verify.schema_problems import broken_rules
from verify.terms import ABSENT, FILE_QUOTE, FLOOR

if TYPE_CHECKING:
    from jsonschema_rs import Validator

    from toolkit.policy.sets import PolicySet
    from toolkit.policy.tables import Table
    from verify.task import Workspace

# What code gives, before or after admission; a record's own word on it is dropped unread.
GIVEN_BY_CODE: Final = frozenset(
    {
        "finding_id",
        "source_layer",
        "agent_origin",
        "peer_review_provider",
        "peer_review_mode",
        "peer_review_provider_source_layer",
        "discarded",
        "discard_reason",
        "evidence_verified",
        "verified_diagnostic",
        "verified_at",
        "origins",
    }
)
SCHEMA: Final = "verify.finding"
DISPOSITION: Final = "verify.disposition"
PARSED: Final = "ok"
UNPARSED: Final = "error"


class Provenance(NamedTuple):
    """Who sent a record, as code knows it: a term of ``verify.agent-origin`` and how the peer reviewer was chosen."""

    agent_origin: str | None = None
    peer_review_provider: str | None = None
    peer_review_mode: str | None = None
    peer_review_provider_source_layer: str | None = None


@dataclass(frozen=True)
class FindingRules:
    """The seven rules, ready to use: schema, lengths, and what is said to be well and so is no finding."""

    schema: Mapping[str, Any]
    limits: FindingLimits
    disposition: Table
    confirmations: tuple[Mapping[str, Any], ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> FindingRules:
        """The rules that ``verify.finding``, ``verify.limits`` and ``verify.confirmations`` state."""
        return cls(
            schema=policies.data(SCHEMA),
            limits=FindingLimits.from_policy(policies),
            disposition=policies.table(DISPOSITION),
            confirmations=policies.data("verify.confirmations"),
        )

    def problems(self, record: Mapping[str, object]) -> tuple[str, ...]:
        """Every rule that a decoded record breaks, each as ``path: what is wrong``, sorted."""
        return tuple(sorted(broken_rules(self._validator, record))) or tuple(self._confirmed(record))

    def discard_reason(self, record: object) -> str:
        """Why a record that is no finding does not count, a term of ``verify.discard-reason``."""
        read = isinstance(record, Mapping)
        decision = self.disposition.decide(
            evidence_type=self._evidence_type(record),
            parse=PARSED if read else UNPARSED,
            schema_valid=False,
            excerpt_found=None,
        )
        return str(decision.outputs["discard_reason"])

    def _evidence_type(self, record: object) -> str | None:
        evidence = record.get("evidence") if isinstance(record, Mapping) else None
        kind = evidence.get("type") if isinstance(evidence, Mapping) else None
        declared = self.disposition.document.inputs["evidence_type"]
        return kind if isinstance(kind, str) and declared.accepts(kind) else None

    def _confirmed(self, record: Mapping[str, object]) -> Iterator[str]:
        for field, says, unless in self._confirming:
            text = record.get(field)
            if isinstance(text, str) and _found(says, text) and not _found(unless, text):
                yield f"{field}: reports that all is well, which is no finding"

    @cached_property
    def _validator(self) -> Validator:
        from toolkit.policy.loading.shaped import reason_of, validator_of
        from toolkit.policy.problems import PolicyError
        from toolkit.policy.types import thaw

        try:
            return validator_of(cast("dict[str, Any]", thaw(self.schema)))
        except ValueError as fault:
            message = f"{SCHEMA} is no JSON Schema that can be used: {reason_of(fault)}"
            raise PolicyError("bad_schema", message, next_step=f"dr-policy show {SCHEMA}") from fault

    @cached_property
    def _confirming(self) -> tuple[tuple[str, tuple[Any, ...], tuple[Any, ...]], ...]:
        def ready(patterns: Iterable[str]) -> tuple[Any, ...]:
            return tuple(compiled(pattern, "verify.confirmations") for pattern in patterns)

        return tuple((entry["field"], ready(entry["says"]), ready(entry["unless"])) for entry in self.confirmations)


def read_record(
    record: object, layer: str, rules: FindingRules, provenance: Provenance | None = None
) -> Finding | Malformed:
    """One decoded JSON value, sent by ``layer``, as a finding, or as what it is instead.

    Terms are compared exactly: ``HIGH`` is no severity. An excerpt that is too long is cut (rule 4). A finding whose
    evidence is absent is well-formed; it is discarded later.
    """
    if not isinstance(record, Mapping):
        return Malformed(layer, record, ("record: is no object",), rules.discard_reason(record))
    own = {key: value for key, value in record.items() if key not in GIVEN_BY_CODE}
    problems = rules.problems(own)
    if problems:
        return Malformed(layer, record, problems, rules.discard_reason(record))
    return _finding(own, layer, rules.limits, provenance or Provenance())


def admit(
    findings: Iterable[Finding],
    policies: PolicySet,
    workspace: Workspace,
    now: datetime,
    checker: QuoteChecker | None = None,
    questions: Questions | None = None,
) -> tuple[Admitted, ...]:
    """Findings after the rules that hold once they are in: looked up, disposed of, redacted and numbered.

    Order is kept, and ids are ``F-<layer>-<n>`` in that order, so calling again with more findings at the end gives
    the earlier ones the same ids. Quotations are compared with the bytes as they are; only then are secrets taken
    out. ``now`` is aware of its zone. A ``checker`` remembers the files that it has read, ``questions`` what
    ``verify.disposition`` was asked. Raises ``PolicyError`` (``evidence_discarded``) where the policies discard a
    finding that shows its evidence.
    """
    checker = checker or QuoteChecker(workspace, FindingLimits.from_policy(policies))
    questions = questions or Questions(policies)
    redactor = Redactor.from_policy(policies)
    verified_at = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    numbers: Counter[str] = Counter()
    admitted = []
    for finding in findings:
        numbers[finding.source_layer] += 1
        named = replace(
            finding,
            finding_id=f"F-{finding.source_layer}-{numbers[finding.source_layer]}",
            # The floor names files by their paths already; a reviewer names them as it likes.
            artifact_ref=finding.artifact_ref
            if finding.source_layer == FLOOR
            else checker.locate(finding.artifact_ref),
        )
        admitted.append(_admitted(named, questions, checker, redactor, verified_at))
    return tuple(admitted)


def _admitted(
    finding: Finding, questions: Questions, checker: QuoteChecker, redactor: Redactor, verified_at: str
) -> Admitted:
    found, diagnostic = _looked_up(finding, checker)
    decision = questions.ask(
        DISPOSITION, evidence_type=finding.evidence.type, parse=PARSED, schema_valid=True, excerpt_found=found
    )
    discarded, reason = decision.outputs["discarded"] is True, decision.outputs["discard_reason"]
    if discarded and finding.evidence.type != ABSENT:
        _refuse_to_discard(questions.policies.table(DISPOSITION), decision.row)
    return Admitted(
        finding=redactor.finding(finding),
        discarded=discarded,
        discard_reason=None if reason is None else str(reason),
        evidence_verified=str(decision.outputs["evidence_verified"]),
        verified_diagnostic=None if diagnostic is None else redactor.text(diagnostic),
        verified_at=verified_at,
    )


def _refuse_to_discard(disposition: Table, row: str) -> NoReturn:
    """Refuse a row that discards what shows its evidence: by it a change could silence the finding about itself."""
    from toolkit.policy.problems import PolicyError

    document = disposition.document
    place = next(str(one.mark) for one in document.rows if one.id == row)
    message = f"{document.head.id}, row {row!r}: a finding that shows its evidence can't be discarded"
    step = f"dr-policy show {document.head.id} --origin"
    raise PolicyError("evidence_discarded", message, place=place, next_step=step)


def _looked_up(finding: Finding, checker: QuoteChecker) -> tuple[bool | None, str | None]:
    """Only a quotation is looked up: a command is never run again on a finding's word."""
    evidence = finding.evidence
    if evidence.type != FILE_QUOTE or evidence.source is None or evidence.excerpt is None:
        return None, None
    return checker.check(evidence.source, evidence.excerpt, finding.source_layer)


def _finding(record: Mapping[str, Any], layer: str, limits: FindingLimits, provenance: Provenance) -> Finding:
    """A finding from a record that the schema has passed."""
    evidence, excerpt = record["evidence"], record["evidence"].get("excerpt")
    if excerpt is not None:
        excerpt = clip(excerpt, limits.excerpt_max, limits.excerpt_suffix)
    return Finding(
        source_layer=layer,
        artifact_ref=record["artifact_ref"],
        severity=record["severity"],
        category=record["category"],
        evidence=Evidence(evidence["type"], evidence.get("source"), excerpt),
        ac_criteria=tuple(record["ac_criteria"]),
        drift_subtype=record.get("drift_subtype"),
        suggested_fix=record.get("suggested_fix"),
        check_name=record.get("check_name"),
        agent_origin=provenance.agent_origin,
        peer_review_provider=provenance.peer_review_provider,
        peer_review_mode=provenance.peer_review_mode,
        peer_review_provider_source_layer=provenance.peer_review_provider_source_layer,
    )


def _found(patterns: Iterable[Any], text: str) -> bool:
    whole = well_formed(text)
    return any(pattern.search(whole) is not None for pattern in patterns)

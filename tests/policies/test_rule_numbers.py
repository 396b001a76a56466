"""The numbers and words of a rule are the policy's: another one changes what code reads, the shipped one does not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from policy_support import overlay

from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes
from verify.criteria import CriteriaRules, criteria_in
from verify.criteria.commands import command_in
from verify.documents.approvals import ApprovalRules
from verify.documents.archive_claims import ClaimRules, Claims, claims_in
from verify.documents.dates import dates_in
from verify.documents.measurable import Reader
from verify.documents.measures import MeasureRules
from verify.documents.proofs import EvidenceRules
from verify.documents.risks import RiskRules, find_risks
from verify.documents.threats import StrideRules, read_stride
from verify.history.digits import HashDigits
from verify.markdown import parse_markdown
from verify.paths import PathRules
from verify.spec_graph.rules import SpecRules


@cache
def _with(base: str = "", edits: str = "") -> PolicySet:
    root = shipped_root()
    names = {str(path.relative_to(root)): path for path in shipped_policy_files()}
    verify = {name: path for name, path in names.items() if name.split("/")[-2] == "verify"}
    sources = [Source(name, path.read_bytes(), SHIPPED) for name, path in verify.items()]
    if base:
        sources.append(Source("edited.yaml", overlay(f"set: {{{edits}}}\n", base=base).encode(), REPOSITORY))
    return PolicySet.load(sources, shipped_shapes())


def _claims(text: str, policies: PolicySet) -> Claims:
    return claims_in(parse_markdown(text), ClaimRules.from_policy(policies), PathRules.from_policy(policies))


def _commits(policies: PolicySet) -> object:
    return [it.digits for it in _claims("Done in `abc123` and `abc1234`.", policies).commits]


def _near_word(policies: PolicySet) -> object:
    return [it.figure for it in _claims("Nearly 12 tests, see `logs/run.log`", policies).figures]


def _labelled(policies: PolicySet) -> object:
    return [it.figure for it in _claims("All 12 tests passed. Full output: `logs/run.log`", policies).figures]


def _hash(policies: PolicySet) -> object:
    return _evidence(policies).hashes.fullmatch("abc123") is not None


def _quotation(policies: PolicySet) -> object:
    return _evidence(policies).quotations.search('it says "ok"') is not None


def _evidence(policies: PolicySet) -> EvidenceRules:
    reader = Reader(MeasureRules.from_policy(policies), CriteriaRules.from_policy(policies))
    return EvidenceRules.from_policy(policies, PathRules.from_policy(policies), reader)


def _heading(policies: PolicySet) -> object:
    rules = RiskRules.from_policy(policies, CriteriaRules.from_policy(policies))
    return [it.text for it in find_risks(parse_markdown("## Risks of losing writes\n\nMitigation: fsync\n"), rules)]


def _letters(policies: PolicySet) -> object:
    rules = StrideRules.from_policy(policies, CriteriaRules.from_policy(policies), "·")
    table = "## Design\n\n| what | answer |\n| --- | --- |\n| S | tokens |\n| T | a checksum |\n"
    return sorted(read_stride(parse_markdown(table), rules).answered)


def _compared(policies: PolicySet) -> object:
    return MeasureRules.from_policy(policies).measured("within the first of 3")


def _stated(policies: PolicySet) -> object:
    return MeasureRules.from_policy(policies).measured("it returns with a code 7")


def _date(policies: PolicySet) -> object:
    return [str(day) for day in dates_in("on 20th November 2026", ApprovalRules.from_policy(policies).dates)]


def _lettered(policies: PolicySet) -> object:
    rules = SpecRules.from_policy(policies, CriteriaRules.from_policy(policies))
    return [match.group() for match in rules.labels.pattern.finditer("D-REQ-ABC D-REQ-F1 D-REQ-nn D-REQ-07")]


def _program(policies: PolicySet) -> object:
    return command_in("pytest.exe -q", CriteriaRules.from_policy(policies).commands)


def _reference(policies: PolicySet) -> object:
    text = "- **AC-1** is described in the other document\n"
    return [it.labels for it in criteria_in(parse_markdown(text), CriteriaRules.from_policy(policies))]


@pytest.mark.parametrize(
    ("read", "shipped", "base", "edits", "edited"),
    [
        (_commits, ["abc1234"], "verify.history", "/hashes/shortest: 6", ["abc123", "abc1234"]),
        (_hash, False, "verify.history", "/hashes/shortest: 6", True),
        (_near_word, [], "verify.claims", "/reach: 1", ["12"]),
        (_labelled, ["12"], "verify.claims", "/figures/label_max: 3", []),
        (_quotation, True, "verify.evidence", "/quotations/shortest: 3", False),
        (_heading, ["Risks of losing writes"], "verify.gates", "/risks/short_heading: 4", []),
        (_letters, [], "verify.gates", "/stride/letters_min: 2", ["Spoofing", "Tampering"]),
        (_compared, "", "verify.measures", "/comparisons/most_fillers: 3", "within the first of 3"),
        (_stated, "returns with a code 7", "verify.measures", "/outcomes/most_fillers: 2", ""),
        (_date, ["2026-11-20"], "verify.approvals", "/ordinals: []", []),
        (
            _lettered,
            ["D-REQ-ABC", "D-REQ-F1", "D-REQ-nn", "D-REQ-07"],
            "verify.spec-graph",
            "/requirements/letters_max: 2, /requirements/placeholders: [x]",
            ["D-REQ-F1", "D-REQ-07"],
        ),
        (_program, "pytest.exe", "verify.criteria", "/program_suffixes: []", None),
        (_reference, [], "verify.criteria", "/definitions/reference_reach: 5", [("AC-1",)]),
    ],
)
def test_a_number_or_word_of_a_rule_is_the_policys(
    read: Callable[[PolicySet], object], shipped: object, base: str, edits: str, edited: object
) -> None:
    assert read(_with()) == shipped
    assert read(_with(base, edits)) == edited


def test_the_digits_of_a_commit_are_ruled_in_one_place(policies: PolicySet) -> None:
    digits = HashDigits.from_policy(policies)
    assert [length for length in range(70) if digits.fit("a" * length)] == [*range(7, 41), 64]
    for document in ("verify.claims", "verify.evidence"):
        with pytest.raises(PolicyError) as caught:
            _with(document, "/hashes/shortest: 4" if document == "verify.claims" else "/hash_min: 4")
        assert [problem.code for problem in caught.value.problems] == ["wrong_shape"]

"""The evidence that the task's documents give for its criteria, each claim looked up; for ``FloorContext.once``."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath

from toolkit.errors import UndeterminedError
from verify.artifacts import Artifact
from verify.documents.evidence import EvidenceClaim, EvidenceRules, claims_of
from verify.documents.statements import StatementRules, statements_in
from verify.floor.check import FloorContext
from verify.floor.gates.forms import stage_gates
from verify.floor.gates.prd import measure_reader
from verify.floor.paths import declared_roots, path_rules
from verify.floor.readings import document_rules
from verify.paths.roots import Outcome
from verify.paths.words import Word

GATE = "do-evidence"


def evidence_documents(context: FloorContext) -> tuple[Artifact, ...]:
    """The documents that may give evidence, those that are there. Use it through ``context.once``, as the next one."""
    return tuple(found for kind in context.once(stage_gates)[GATE].documents for found in context.task.all_of(kind))


def statement_rules(context: FloorContext) -> StatementRules:
    """How these documents say what proves a criterion."""
    bindings = context.once(document_rules).bindings
    return StatementRules.from_policy(context.policies, bindings, context.task.criteria)


def evidence_claims(context: FloorContext) -> tuple[EvidenceClaim, ...]:
    """Everything that is given as evidence, document by document; the label is empty where none is named."""
    rules = EvidenceRules.from_policy(context.policies, context.once(path_rules), context.once(measure_reader))
    where, there = context.once(statement_rules), Standing(context)
    return tuple(
        claim
        for document in context.once(evidence_documents)
        for claim in claims_of(statements_in(document.blocks, where), document.path, rules, there)
    )


def evidence_of(context: FloorContext) -> Mapping[str, tuple[EvidenceClaim, ...]]:
    """The claims for each criterion by its label, in order."""
    found: dict[str, list[EvidenceClaim]] = {}
    for claim in context.once(evidence_claims):
        if claim.label:
            found.setdefault(claim.label, []).append(claim)
    return {label: tuple(claims) for label, claims in found.items()}


class Standing:
    """Which cited files and commits are there: under the declared roots, in their repositories."""

    def __init__(self, context: FloorContext) -> None:
        self._context = context
        self._roots = context.once(declared_roots)
        self._names = context.task.documents()
        self._commits: dict[str, bool | None] = {}

    def file(self, word: Word, document: str) -> bool | None:
        """Whether a file stands at the path, as written or beside the document that cites it; null: nobody may look."""
        beside = f"{PurePosixPath(document).parent}/{word.text}" if word.text.startswith(("./", "../")) else word.text
        named = self._names.get(word.text)
        readings = dict.fromkeys((word.text, *word.readings, beside, *([str(named)] if named else [])))
        unreadable = False
        for text in readings:
            resolution = self._roots.resolve(text)
            if resolution.root is not None and not _is_directory(resolution.root, text):
                return True
            unreadable = unreadable or resolution.outcome is Outcome.UNREADABLE
        return None if unreadable else False

    def commit(self, name: str) -> bool | None:
        """Whether one of the repositories has the commit; null without a repository, or where Git can't tell."""
        if name not in self._commits:
            try:
                self._commits[name] = self._look_up(name)
            except UndeterminedError:
                self._commits[name] = None
        return self._commits[name]

    def _look_up(self, name: str) -> bool | None:
        from toolkit.repository.objects import commits_named
        from verify.floor.changes import task_history

        repositories = self._context.once(task_history).repositories
        if any(commits_named(git, [name])[name] for git in repositories):
            return True
        return None if any(git.shallow for git in repositories) else False


def _is_directory(root: Path, text: str) -> bool:
    """Whether a path that stands under a root is a folder there. A link is not followed: it may lead anywhere."""
    try:
        return stat.S_ISDIR(os.lstat(root / normpath(text)).st_mode)
    except (OSError, ValueError):
        return False

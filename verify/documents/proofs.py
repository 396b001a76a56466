"""What counts as evidence: a command with its outcome, a file with a place in it, a commit, an output."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from verify.criteria import says_something
from verify.criteria.commands import command_in
from verify.documents.measurable import Reader, mark, measure_in, measure_of_fence
from verify.documents.measures import COMMAND, VALUE, found
from verify.documents.phrases import Phrases, tokens_of
from verify.documents.statements import Clip, Statement
from verify.history.digits import HashDigits
from verify.paths.rules import PathRules
from verify.paths.spans import read_span
from verify.paths.words import Doubt, Word, read_word
from verify.words import either

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

NO_EVIDENCE = "it names no command with its outcome, no file with a line or an excerpt, no commit and no output"
SAYS_NOTHING = "it says nothing"
ONLY_WORDS = "{text!r} alone proves nothing"
NO_OUTCOME = "it names a command without its outcome"
NO_FILE = "{path} stands under no declared root"
NO_LINE = "{path} is named without a line or an excerpt"
NO_COMMIT = "there is no commit {commit}"
UNREADABLE = "nobody could look whether {path} is there"
UNKNOWN_COMMIT = "nobody could look whether there is a commit {commit}"


class EvidenceRules(NamedTuple):
    """The words of ``verify.evidence`` for what counts."""

    outcomes: Phrases
    runs: Phrases
    idle: Phrases
    lines: Phrases
    commits: re.Pattern[str]
    hashes: re.Pattern[str]
    quotations: re.Pattern[str]
    paths: PathRules
    reader: Reader

    @classmethod
    def from_policy(cls, policies: PolicySet, paths: PathRules, reader: Reader) -> EvidenceRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.evidence"))
        lengths, quoted = HashDigits.from_policy(policies), value["quotations"]
        digits = rf"[0-9a-fA-F]{{{lengths.shortest},{lengths.longest}}}"
        commits = re.compile(
            rf"(?<!\w)(?:{either(value['commits'])})[ \t:]{{1,3}}(?P<hash>{digits})(?!\w)", re.IGNORECASE
        )
        return cls(
            outcomes=Phrases(value["outcomes"]),
            runs=Phrases(value["runs"]),
            idle=Phrases(value["idle"]),
            lines=Phrases(value["lines"]),
            commits=commits,
            hashes=re.compile(digits),
            quotations=_quotations(quoted["shortest"], quoted["longest"]),
            paths=paths,
            reader=reader,
        )


class Lookup(Protocol):
    """What is there. Null: it can't be told."""

    def file(self, word: Word, document: str) -> bool | None:
        """Whether a file stands at a path that the document at ``document`` cites."""

    def commit(self, name: str) -> bool | None:
        """Whether there is a commit of that (short) hash."""


class Proof(NamedTuple):
    """One piece of evidence, whether it counts, and why."""

    counts: bool | None
    why: str


def proofs_of(statement: Statement, document: str, rules: EvidenceRules, lookup: Lookup) -> Iterator[Proof]:
    """Every piece of evidence; what only Git can judge comes last."""
    if any(_is_output(fence, rules) for fence in statement.fences):
        yield Proof(True, "an output")
    gone: set[str] = set()
    yield from _of_files(statement, document, rules, lookup, gone)
    yield from _of_commands(statement, rules, gone)
    yield from _of_commits(statement, rules, lookup)


def nothing_in(statement: Statement, rules: EvidenceRules) -> Proof:
    """A statement in which nothing could count."""
    said = " ".join(statement.said.split())
    if not any(char.isalnum() for char in said):
        return Proof(False, SAYS_NOTHING)
    tokens = [token for token in tokens_of(said) if token.text.isalnum()]
    place = 0
    while place < len(tokens) and (taken := rules.idle.at(tokens, place)):
        place += taken
    return Proof(False, ONLY_WORDS.format(text=said) if place == len(tokens) else NO_EVIDENCE)


def _is_output(fence: str, rules: EvidenceRules) -> bool:
    """Whether a code block shows more than the commands that were typed."""
    commands = rules.reader.criteria.commands
    lines = [line.strip() for line in fence.split("\n") if line.strip()]
    shown = [line for line in lines if not line.startswith(commands.comments) and command_in(line, commands) is None]
    said = " ".join(shown)
    idle = len(shown) == 1 and nothing_in(Statement((), 0, said, ()), rules).why != NO_EVIDENCE
    return bool(measure_of_fence(fence, rules.reader)) or (
        not idle and says_something(said, rules.reader.criteria.cues)
    )


def _of_commands(statement: Statement, rules: EvidenceRules, gone: Collection[str]) -> Iterator[Proof]:
    """Commands in code, or with which the text begins, and whether the statement says how they ended.

    A script that is not there (``gone`` holds what is cited and isn't) was not run.
    """
    commands = rules.reader.criteria.commands
    codes = (span.text for clip in statement.clips for span in clip.spans)
    typed = _typed(statement.said, rules)
    ran = bool(typed) and _bare(typed.split()[0]) not in gone
    if not ran and not any(command_in(code, commands) is not None and _bare(code) not in gone for code in codes):
        return
    marked = [mark(clip.prose, clip.spans, rules.reader) for clip in statement.clips]
    outcome = any(
        measure_in(text, (), rules.reader) or found(rules.outcomes, text) or found(rules.reader.rules.endings, text)
        for text in marked
    )
    values = any(VALUE in text.partition(COMMAND)[2] for text in marked)
    yield Proof(True, "a command with its outcome") if outcome or values else Proof(False, NO_OUTCOME)


def _typed(said: str, rules: EvidenceRules) -> str:
    """The text from the command on that it begins with and that is not set in code; empty without one."""
    tokens = tokens_of(said)
    start = next((place for place, token in enumerate(tokens) if token.text[0].isalnum()), len(tokens))
    start += rules.runs.at(tokens, start)
    rest = said[tokens[start].start :] if start < len(tokens) else ""
    return rest if command_in(rest, rules.reader.criteria.commands) is not None else ""


def _of_files(
    statement: Statement, document: str, rules: EvidenceRules, lookup: Lookup, gone: set[str]
) -> Iterator[Proof]:
    """Cited files, noting those that are not there. A path that may be none is none unless it stands there."""
    located = bool(statement.fences) or statement.quoted or _locates(statement, rules)
    for clip in statement.clips:
        quoted = rules.quotations.search(clip.prose) is not None
        excerpts = {span.text for span in clip.spans if "/" not in span.text and any(map(str.isalnum, span.text))}
        for raw, word in _cited(clip, rules):
            there = lookup.file(word, document)
            if there:
                excerpted = quoted or len(excerpts) > (raw in excerpts)
                placed = located or excerpted or _has_place(raw, word)
                yield Proof(placed, word.text if placed else NO_LINE.format(path=word.text))
            elif word.doubt is Doubt.NONE:
                gone.add(_bare(raw))
                yield Proof(there, (NO_FILE if there is False else UNREADABLE).format(path=word.text))


def _cited(clip: Clip, rules: EvidenceRules) -> Iterator[tuple[str, Word]]:
    """The paths in a stretch of text: those in code that is no command, and words that look like one."""
    for span in clip.spans:
        if command_in(span.text, rules.reader.criteria.commands) is None or " " not in span.text.strip():
            for word in read_span(span.text, rules.paths):
                if word.doubt is not Doubt.UNREAD:
                    yield span.text, word
    for match in _prose_words().finditer(clip.prose):
        raw = match.group().rstrip(".:!?")
        if "." in raw or "/" in raw:
            word_read = read_word(raw, rules.paths.words)
            if word_read is not None and word_read.doubt is not Doubt.UNREAD:
                yield raw, word_read


def _has_place(raw: str, word: Word) -> bool:
    """Whether a citation says where in the file: ``:42``, ``#L42``, ``::test_name``."""
    behind = raw.partition(word.text)[2]
    return behind[:1] in (":", "#") and any(char.isalnum() for char in behind)


def _locates(statement: Statement, rules: EvidenceRules) -> bool:
    """Whether a statement says "line 42"."""
    for clip in statement.clips:
        tokens = tokens_of(clip.prose)
        for _, end in rules.lines.found_in(tokens):
            if end < len(tokens) and tokens[end].is_number:
                return True
    return False


def _of_commits(statement: Statement, rules: EvidenceRules, lookup: Lookup) -> Iterator[Proof]:
    """Cited commits: a hash in code, or after the word."""
    named: Sequence[str] = [
        *(
            span.text.strip()
            for clip in statement.clips
            for span in clip.spans
            if rules.hashes.fullmatch(span.text.strip())
        ),
        *(match["hash"] for clip in statement.clips for match in rules.commits.finditer(clip.text)),
    ]
    for name in dict.fromkeys(named):
        there = lookup.commit(name)
        if there:
            yield Proof(True, f"the commit {name}")
        else:
            yield Proof(there, (UNKNOWN_COMMIT if there is None else NO_COMMIT).format(commit=name))


@cache
def _prose_words() -> re.Pattern[str]:
    return re.compile(r"[^\s\"'“”«»()\[\]<>,;|]+")


def _quotations(shortest: int, longest: int) -> re.Pattern[str]:
    return re.compile(rf"[\"“„«][^\"“”„«»]{{{shortest},{longest}}}[\"”“»]")


def _bare(name: str) -> str:
    """A script's name without what may stand around it in a sentence."""
    return name.strip("./:,;")

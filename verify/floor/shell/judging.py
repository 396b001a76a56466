"""The check ``shellcheck``: what the shell checker says of the task's scripts and of the configured directories.

*Self-verification*, layer 1, "shellcheck recursive". What could not be judged is said and is never clean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from toolkit.errors import ProcessError
from toolkit.reporting.visible import visible
from toolkit.storage.cache import Cache, cache_root
from verify.evidence import FindingLimits, clip, quote_line
from verify.findings import Evidence, Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext, questions_of
from verify.floor.shell.chosen import scripts_of
from verify.floor.shell.comments import Comment
from verify.floor.shell.program import Shellcheck, ShellcheckRules, Source
from verify.floor.shell.scripts import Script, ScriptRules, Scripts, Unjudged, find_scripts
from verify.floor.telling import finding, limits_of, nothing
from verify.terms import COULD_NOT_RUN, RAN, TEST_OUTPUT
from verify.words import and_more

if TYPE_CHECKING:
    from verify.floor.shell.batches import Batches

NAMESPACE: Final = "shellcheck"
LEVELS: Final = "verify.shellcheck-level"
SEVERITIES: Final = "verify.shellcheck-severity"
LIMITS: Final = "verify.limits"


@dataclass(frozen=True, slots=True)
class Started:
    """A check under way. ``keys`` are those of the scripts, in their order, by which comments are ``known``.

    ``batches`` judge the rest; without a tool nothing is judged, and ``fault`` says why.
    """

    scripts: Scripts
    tool: Shellcheck | None = None
    keys: tuple[str, ...] = ()
    known: Mapping[str, tuple[Comment, ...]] = field(default_factory=dict)
    batches: Batches | None = None
    fault: str | None = None


def shellcheck(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """One finding a comment that ``verify.shellcheck-severity`` reports, by path, line, column and code."""
    started = context.once(_Start(entry.id, entry))
    comments, failed = _collected(started)
    unjudged = list(started.scripts.unjudged)
    judged: list[tuple[Script, tuple[Comment, ...]]] = []
    for at, script in enumerate(started.scripts.found):
        key = started.keys[at] if started.keys else ""
        if key in comments:
            judged.append((script, comments[key]))
        else:
            unjudged.append(Unjudged(script.ref, failed.get(key, started.fault or "not judged")))
    names = cast(int, context.policies.data(LIMITS)["detail_names_max"])
    if not judged and not unjudged:
        return nothing(_no_scripts(entry, started, names))
    status = COULD_NOT_RUN if unjudged else RAN
    return CheckResult(status, _detail(started, len(judged), unjudged, names), tuple(_findings(entry, context, judged)))


def begin(entry: CheckEntry, context: FloorContext) -> None:
    """Start the processes, so that they work while other checks are run. Raises nothing: the check says what failed."""
    context.once(_Start(entry.id, entry))


def start_shellcheck(entry: CheckEntry, context: FloorContext) -> Started:
    """Find the scripts, look them up in the cache, and start judging those that are not in it."""
    limits = cast("Mapping[str, object]", context.policies.data(LIMITS))
    rules = ScriptRules.from_policy(entry.parameters, limits)
    scripts = find_scripts(scripts_of(context, rules), context.roots(), rules)
    if not scripts.found:
        return Started(scripts)
    levels = context.policies.vocabulary(LEVELS).terms
    try:
        tool = Shellcheck(ShellcheckRules.from_policy(entry.parameters, limits, levels), Cache(cache_root(), NAMESPACE))
    except ProcessError as error:
        return Started(scripts, fault=error.message)
    sources = [Source(script.extension, script.content) for script in scripts.found]
    keys = tuple(map(tool.key, sources))
    known = {key: comments for key in keys if (comments := tool.known(key)) is not None}
    unknown = {key: source for key, source in zip(keys, sources, strict=True) if key not in known}
    if not unknown:
        return Started(scripts, tool, keys, known)
    from verify.floor.shell.batches import Batches

    try:
        return Started(scripts, tool, keys, known, Batches(tool.path, unknown, tool.rules))
    except OSError as error:
        return Started(scripts, tool, keys, known, fault=f"no copies could be made to be judged: {error.strerror}")


@dataclass(frozen=True)
class _Start:
    """``start_shellcheck`` for one entry, as something that ``FloorContext.once`` knows again."""

    id: str
    entry: CheckEntry = field(compare=False)

    def __call__(self, context: FloorContext) -> Started:
        return start_shellcheck(self.entry, context)


def _collected(started: Started) -> tuple[dict[str, tuple[Comment, ...]], Mapping[str, str]]:
    """All comments by key, those of the running batches included, and why keys have none."""
    comments = dict(started.known)
    if started.batches is None or started.tool is None:
        return comments, {}
    outcome = started.batches.collect()
    started.tool.keep(outcome.judged)
    comments.update(outcome.judged)
    return comments, outcome.failed


def _findings(
    entry: CheckEntry, context: FloorContext, judged: Iterable[tuple[Script, tuple[Comment, ...]]]
) -> Iterator[Finding]:
    questions, limits = context.once(questions_of), context.once(limits_of)

    for script, comments in sorted(judged, key=lambda pair: pair[0].ref):
        lines = script.content.split(b"\n") if comments else []
        for comment in comments:
            decision = questions.ask(SEVERITIES, level=comment.level, code=comment.code)
            grave = cast("str | None", decision.outputs["severity"])
            if grave is not None:
                ref, evidence = f"{script.ref}:{comment.line}", _evidence(script, comment, lines, limits)
                fix = f"SC{comment.code}: {visible(comment.message)}"
                yield finding(entry, context, ref, evidence, fix, severity=grave)


def _evidence(script: Script, comment: Comment, lines: Sequence[bytes], limits: FindingLimits) -> Evidence:
    """A comment's source line, where a reader can find that again, else its message."""
    text = _text(lines[comment.line - 1]) if 0 < comment.line <= len(lines) else ""
    if script.quotable and len(text.strip()) >= limits.excerpt_min:
        return quote_line(script.ref, comment.line, text, limits)
    message = clip(visible(comment.message), limits.excerpt_max, limits.excerpt_suffix)
    return Evidence(TEST_OUTPUT, f"{NAMESPACE} SC{comment.code}", message)


def _text(line: bytes) -> str:
    """A line that can be quoted: nothing of one that is not UTF-8, and no byte order mark, which no reader sees."""
    try:
        return line.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return ""


def _detail(started: Started, judged: int, unjudged: Sequence[Unjudged], names: int) -> str:
    found = len(started.scripts.found)
    kept = sum(1 for key in started.keys if key in started.known)
    parts = [f"{_counted(found, 'script')}: {kept} from the cache, {judged - kept} checked"]
    if started.tool is not None:
        parts.append(f"shellcheck {started.tool.version}")
    if unjudged:
        parts.append(f"not judged: {_named(unjudged, names)}")
    return "; ".join(parts) + _links(started, names)


def _no_scripts(entry: CheckEntry, started: Started, names: int) -> str:
    directories = " or ".join(cast("Sequence[str]", entry.parameters["directories"]))
    return f"the task cites no scripts, and none stand in {directories}{_links(started, names)}"


def _links(started: Started, names: int) -> str:
    links = started.scripts.links
    return f"; {_counted(len(links), 'symbolic link')} not followed: {_named(links, names)}" if links else ""


def _named(unjudged: Sequence[Unjudged], names: int) -> str:
    """What was not judged or followed, by reason; the first ``names`` of each by name."""
    by_reason: dict[str, list[str]] = {}
    for each in unjudged:
        by_reason.setdefault(each.reason, []).append(each.ref)
    told = []
    for reason, refs in by_reason.items():
        told.append(f"{', '.join(refs[:names])}{and_more(len(refs) - names)} ({visible(reason)})")
    return ", ".join(told)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

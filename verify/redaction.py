"""Redaction: what looks like a secret is replaced before it is written (*Self-verification*, secret redaction)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.evidence import FindingLimits, clip, clip_fix
from verify.findings import Evidence, Finding, Malformed
from verify.patterns import compiled
from verify.references import split_reference
from verify.terms import FILE_QUOTE

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT: Final = "verify.redaction"
# Each pass leaves less to find, and two are nearly always enough; this only keeps an odd policy from going on for ever.
PASSES: Final = 16

Span = tuple[int, int]
Found = Iterator[tuple[str, list[Span]]]


class Kept(NamedTuple):
    """An exception: a match with such a name and nothing but such secrets stands as it is."""

    name: Callable[[str], bool]
    secret: Callable[[str], bool]

    def covers(self, name: str, secrets: Iterable[str]) -> bool:
        return self.name(name) and all(map(self.secret, secrets))


class Rule(NamedTuple):
    """One pattern: how it finds a name and its secrets in a text, and what it leaves alone."""

    find: Callable[[str], Found]
    kept: tuple[Kept, ...]

    def keeps(self, name: str, *secrets: str) -> bool:
        return any(kept.covers(name, secrets) for kept in self.kept)

    def spans(self, text: str) -> Iterator[Span]:
        """Where the secrets stand in ``text``, each as start and end."""
        for name, spans in self.find(text):
            if not self.keeps(name, *(text[start:stop] for start, stop in spans)):
                yield from spans


class Redactor(NamedTuple):
    """Replaces secrets in text, in decoded JSON and in findings. Doing it twice changes nothing more."""

    marker: str
    depth_max: int
    secret_key: Rule
    rules: tuple[Rule, ...]
    suspicious: Callable[[str], bool]
    limits: FindingLimits

    @classmethod
    def from_policy(cls, policies: PolicySet) -> Redactor:
        """The redactor that ``verify.redaction`` describes."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        return cls(
            marker=value["marker"],
            depth_max=value["depth_max"],
            secret_key=_rule(value["secret_key"], value["kept"]),
            rules=tuple(_rule(entry, value["kept"]) for entry in value["patterns"]),
            suspicious=_any_of(entry["pattern"] for entry in value["patterns"]),
            limits=FindingLimits.from_policy(policies),
        )

    def text(self, text: str) -> str:
        """``text`` with the marker in place of each secret. A lone surrogate, which is no character, is spelled out.

        All patterns look at the text as it came, and what several of them found is replaced once, so their order
        means nothing. Where something was replaced the rest is looked at again: a boundary that the marker makes can
        bring out what stood too close to its neighbour before.
        """
        whole = well_formed(text)
        for _ in range(PASSES):
            before, whole = whole, self._once(whole)
            if whole == before:
                break
        return whole

    def value(self, value: object) -> object:
        """A JSON value with its texts redacted, at any depth. Keys stay; a text under a secret's name goes whole."""
        return self._value(value, "", self.depth_max)

    def finding(self, finding: Finding) -> Finding:
        """``finding`` with every text in it redacted, and cut to its limit again where the marker made it longer."""
        limits, fix = self.limits, finding.suggested_fix
        return replace(
            finding,
            artifact_ref=self._reference(finding.artifact_ref),
            ac_criteria=tuple(map(self.text, finding.ac_criteria)),
            evidence=self._evidence(finding.evidence),
            suggested_fix=None if fix is None else clip_fix(self.text(fix), limits),
            check_name=self._optional(finding.check_name),
            peer_review_provider=self._optional(finding.peer_review_provider),
            peer_review_mode=self._optional(finding.peer_review_mode),
            peer_review_provider_source_layer=self._optional(finding.peer_review_provider_source_layer),
        )

    def malformed(self, malformed: Malformed) -> Malformed:
        """What was refused, with its record and problems redacted, as it may be shown."""
        problems = tuple(map(self.text, malformed.problems))
        return replace(malformed, record=self.value(malformed.record), problems=problems)

    def _once(self, text: str) -> str:
        if not self.suspicious(text):  # nearly every text: one search instead of one for each pattern
            return text
        pieces, end = [], 0
        for start, stop in _united(span for rule in self.rules for span in rule.spans(text)):
            pieces += [text[end:start], self.marker]
            end = stop
        return "".join((*pieces, text[end:]))

    def _evidence(self, evidence: Evidence) -> Evidence:
        source, excerpt = evidence.source, evidence.excerpt
        if source is not None:
            source = self._reference(source) if evidence.type == FILE_QUOTE else self.text(source)
        if excerpt is not None:
            excerpt = self._excerpt(excerpt)
        return Evidence(evidence.type, source, excerpt)

    def _excerpt(self, excerpt: str) -> str:
        """A cut excerpt stays marked as cut, although its last word may be a secret that swallows the suffix."""
        suffix, limit = self.limits.excerpt_suffix, self.limits.excerpt_max
        if not excerpt.endswith(suffix):
            return clip(self.text(excerpt), limit, suffix)
        return clip(self.text(excerpt.removesuffix(suffix)), limit - len(suffix), "") + suffix

    def _reference(self, reference: str) -> str:
        """A path is redacted, its line is not: in ``deploy/key:12`` the 12 is no secret."""
        parts = split_reference(reference)
        return self.text(parts.path) + reference[len(parts.path) :]

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _value(self, value: object, name: str, depth: int) -> object:
        """``name`` is the secret's name under which a text stands, or empty."""
        if isinstance(value, str):
            return self.marker if name and value and not self.secret_key.keeps(name, value) else self.text(value)
        if not isinstance(value, (Mapping, list, tuple)):
            return value
        if depth == 0:
            return self.marker
        if isinstance(value, Mapping):
            return {well_formed(key): self._value(item, self._name(key), depth - 1) for key, item in value.items()}
        return [self._value(item, name, depth - 1) for item in value]

    def _name(self, key: str) -> str:
        """``key`` where it is the name of a secret, else nothing."""
        return key if any(self.secret_key.find(well_formed(key))) else ""


def _united(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that overlap or touch as one."""
    start = stop = -1
    for first, last in sorted(spans):
        if first <= stop:
            stop = max(stop, last)
            continue
        if stop >= 0:
            yield start, stop
        start, stop = first, last
    if stop >= 0:
        yield start, stop


def well_formed(text: str) -> str:
    """``text`` with every lone surrogate spelled as its escape, so that it can be encoded and searched."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _rule(entry: Mapping[str, str], kept: Iterable[Mapping[str, Any]]) -> Rule:
    exceptions = tuple(Kept(_whole(item["name"]), _whole(item["secret"])) for item in kept if entry["id"] in item["of"])
    return Rule(_finder(entry["pattern"]), exceptions)


def _finder(pattern: str) -> Callable[[str], Found]:
    expression = compiled(pattern, DOCUMENT)
    named = expression.groupindex.get("name", 0)
    groups = [group for group in range(1, expression.groups + 1) if group != named]

    def find(text: str) -> Found:
        for match in expression.finditer(text):
            name = match.group(named) if named else ""
            yield name, [match.span(group) for group in groups if match.start(group) < match.end(group)]

    return find


def _any_of(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether any of the patterns is found: all of them as one, which has no use for the name of a group."""
    alternatives = "|".join(f"(?:{pattern})" for pattern in patterns)
    expression = compiled(alternatives.replace("(?P<name>", "(?:"), DOCUMENT)
    return lambda text: expression.search(text) is not None


def _whole(pattern: str) -> Callable[[str], bool]:
    expression = compiled(pattern, DOCUMENT)
    return lambda text: expression.fullmatch(text) is not None

"""The surface of a plan: the paths that a task may change, as sections and steps of the plan name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria.pieces import plain_words
from verify.documents.sections import Section, holds, sections_of, within
from verify.documents.steps import Step
from verify.markdown import NO_PROSE, Block, CodeSpan
from verify.paths import Doubt, PathRules
from verify.paths.spans import read_span
from verify.paths.words import names_file, unquoted

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

GLOB_SIGNS = frozenset("*?[{<")
_PAIRED = frozenset("]}>!")  # they may stand in a glob, and make none


class SurfaceRules(NamedTuple):
    """``verify.surface`` as code uses it; the headings are plain words."""

    headings: frozenset[str]
    other_headings: frozenset[str]
    most_alternatives: int
    most_globs: int
    everything_below: tuple[str, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> SurfaceRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.surface"))
        return cls(
            headings=frozenset(map(plain_words, value["headings"])),
            other_headings=frozenset(map(plain_words, value["other_headings"])),
            most_alternatives=value["most_alternatives"],
            most_globs=value["most_globs"],
            everything_below=tuple(value["everything_below"]),
        )


class SurfacePath(NamedTuple):
    """A path, folder or glob that a plan names as what may change, as written, on its line (1-based).

    ``step`` is the step that it stands in, null in a section of the surface. ``sure`` is false for a word that may be
    no path at all (``bin/tool``, ``store``): it allows what it matches, and nothing is missing where it matches
    nothing. ``readings`` are other ways to read the same words.
    """

    text: str
    line: int
    step: Step | None
    glob: bool
    sure: bool = True
    readings: tuple[str, ...] = ()


class _Word(NamedTuple):
    """What a code span says, before it is known where that stands."""

    text: str
    glob: bool
    sure: bool
    readings: tuple[str, ...] = ()


def surface_of(
    blocks: Sequence[Block], steps: Sequence[Step], rules: SurfaceRules, paths: PathRules
) -> tuple[SurfacePath, ...]:
    """The union of both shapes, by line: what inline code names in a step, and below a heading of the surface.

    A path that stands in a step inside such a section counts as the step's. Linear in the document.
    """
    reader = _Reader(rules, paths)
    found: list[SurfacePath] = []
    in_steps: set[CodeSpan] = set()
    for step in steps:
        for piece in step.pieces:
            if piece.kind not in NO_PROSE:
                in_steps.update(_placed(piece.spans))
                found += reader.read(piece.spans, step)
    for section in _sections(sections_of(blocks), rules):
        for block in section.blocks:
            if block.kind not in NO_PROSE:
                found += reader.read((span for span in block.spans if not in_steps.issuperset(_placed((span,)))), None)
    once: dict[tuple[str, int, int], SurfacePath] = {}
    for path in found:
        once.setdefault((path.text, path.line, path.step.line if path.step else 0), path)
    return tuple(sorted(once.values(), key=lambda path: path.line))


def _placed(spans: Iterable[CodeSpan]) -> Iterator[CodeSpan]:
    """Spans as they compare between a block and a piece of it, whose offsets differ."""
    return (span._replace(offset=0) for span in spans)


def _sections(sections: Sequence[Section], rules: SurfaceRules) -> Iterator[Section]:
    for section in within(sections, rules.headings, rules.other_headings):
        if not any(holds(words, rules.other_headings) for words in section.parents):
            yield section


class _Reader:
    """Reads code spans, each text once."""

    def __init__(self, rules: SurfaceRules, paths: PathRules) -> None:
        self._below = rules.everything_below
        self._paths = paths
        self._foreign = paths.words.foreign - GLOB_SIGNS - _PAIRED
        self._read: dict[tuple[str, bool], tuple[_Word, ...]] = {}

    def read(self, spans: Iterable[CodeSpan], step: Step | None) -> Iterator[SurfacePath]:
        """The paths of some spans: of the step, or of a section of the surface."""
        for span in spans:
            key = span.text, step is None
            if key not in self._read:
                self._read[key] = tuple(self._words(span.text, declared=step is None))
            for word in self._read[key]:
                yield SurfacePath(word.text, span.line, step, word.glob, word.sure, word.readings)

    def _words(self, text: str, *, declared: bool) -> Iterator[_Word]:
        """The words of a span: what any reader of paths takes for one, then globs, folders and bare names.

        In a section of the surface (``declared``) each word of a span may be one of those, elsewhere only the whole.
        """
        if len(text) > self._paths.longest_span:
            return
        taken: set[str] = set()
        for word in read_span(text, self._paths):
            if word.doubt is not Doubt.UNREAD:
                taken.update((word.text, *word.readings))
                sure = word.doubt is Doubt.NONE or _is_folder(word.text)
                yield _Word(word.text, not GLOB_SIGNS.isdisjoint(word.text), sure, word.readings)
        raw = text.split()
        for part in raw if declared or len(raw) == 1 else ():
            bare = unquoted(part.strip(",;"))
            if bare not in taken and self._may_be_path(bare, declared=declared and len(raw) == 1):
                glob = not GLOB_SIGNS.isdisjoint(bare)
                sure = self._is_sure_glob(bare) if glob else bare[0] != "/" and bare.endswith(self._below)
                yield _Word(bare, glob, sure)

    def _may_be_path(self, word: str, *, declared: bool) -> bool:
        """Whether a word that cites no sure path may be one all the same; a bare name only where paths are due."""
        if not word.isprintable() or "://" in word or ":" in word or word[:1] in ("-", "@", ""):
            return False
        if not self._foreign.isdisjoint(word) or not (any(map(str.isalnum, word)) or "**" in word):
            return False
        return declared or "/" in word or not GLOB_SIGNS.isdisjoint(word)

    def _is_sure_glob(self, word: str) -> bool:
        """Whether a glob is surely one of files: below a folder, or with a known extension (``*args`` is none)."""
        if word[0] == "/" or GLOB_SIGNS.intersection(word) <= {"<", "["}:
            return False
        return "/" in word or names_file("x" + word.replace("*", "x").replace("?", "x"), self._paths.words)


def _is_folder(text: str) -> bool:
    """Whether a path is surely a folder's: it says so, and its first part is neither the root nor a host."""
    return text.endswith("/") and text[0] != "/" and "." not in text.partition("/")[0].lstrip(".")

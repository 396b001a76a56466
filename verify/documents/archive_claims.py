"""What an archive document claims: commits and the paths that they touched, figures and the output that holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria.pieces import plain_words
from verify.documents.sentences import Sentence, sentences_of
from verify.history.digits import HashDigits
from verify.markdown import Block
from verify.paths import Doubt, PathRules
from verify.paths.spans import read_span
from verify.words import folded

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class HashRules(NamedTuple):
    """What makes hexadecimal digits a commit; words are case-folded, see the policy."""

    digits: HashDigits
    words: frozenset[str]
    joiners: frozenset[str]
    plain_words: frozenset[str]
    others: frozenset[str]
    nearest_words: int
    other_lengths: frozenset[int]
    elsewhere: frozenset[str]
    beside: frozenset[str]


class FigureRules(NamedTuple):
    """What makes a number one that an output has to show; words are case-folded, see the policy.

    ``measured`` are the words of measures, each with the ratios of the units in which it may be written.
    """

    outputs: frozenset[str]
    output_folders: tuple[str, ...]
    labels: frozenset[str]
    label_max: int
    counted: frozenset[str]
    measured: Mapping[str, tuple[int, ...]]
    about: frozenset[str]
    about_signs: tuple[str, ...]
    unstated: frozenset[str]
    output_max_bytes: int


class ClaimRules(NamedTuple):
    """``verify.claims`` as code uses it; ``reach`` is in characters."""

    reach: int
    hashes: HashRules
    figures: FigureRules

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ClaimRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.claims"))
        hashes, figures = value["hashes"], value["figures"]
        return cls(
            value["reach"],
            HashRules(
                digits=HashDigits.from_policy(policies),
                words=folded(hashes["words"]),
                joiners=folded(hashes["joiners"]),
                plain_words=folded(hashes["plain_words"]),
                others=folded(hashes["others"]),
                nearest_words=hashes["nearest_words"],
                other_lengths=frozenset(hashes["other_lengths"]),
                elsewhere=folded(hashes["elsewhere"]),
                beside=folded(hashes["beside"]),
            ),
            FigureRules(
                outputs=folded(figures["outputs"]),
                output_folders=tuple(figures["output_folders"]),
                labels=folded(figures["labels"]),
                label_max=figures["label_max"],
                counted=folded(figures["counted"]),
                measured={
                    word.casefold(): tuple(group["ratios"]) for group in figures["measured"] for word in group["words"]
                },
                about=folded(figures["about"]),
                about_signs=tuple(figures["about_signs"]),
                unstated=folded(figures["unstated"]),
                output_max_bytes=figures["output_max_bytes"],
            ),
        )


class CommitClaim(NamedTuple):
    """A commit that a sentence names, by its digits in lower case, and the paths that it should have touched.

    ``certain`` is false where the digits may be something else: then they claim nothing unless they are a commit's.
    """

    digits: str
    line: int
    certain: bool
    paths: tuple[str, ...]


class FigureClaim(NamedTuple):
    """A figure, as written, the word of what it counts, and the path or the code block that should show it.

    ``ratios`` are those of other units in which it may stand; null: it is counted, and may not even be rounded.
    """

    figure: str
    word: str
    line: int
    ratios: tuple[int, ...] | None
    output: str
    fence: Block | None


class Claims(NamedTuple):
    """All claims of a document, in order."""

    commits: tuple[CommitClaim, ...]
    figures: tuple[FigureClaim, ...]


def claims_in(blocks: Iterable[Block], rules: ClaimRules, paths: PathRules) -> Claims:
    """The claims of a document; linear in it."""
    commits: list[CommitClaim] = []
    figures: list[FigureClaim] = []
    for sentence in sentences_of(blocks, rules.figures.labels, rules.figures.label_max):
        cited = [word for span in sentence.spans for word in read_span(span.text, paths)]
        outputs = [word.text for word in cited if _is_output(word.text, rules.figures)]
        sure = [word.text for word in cited if word.doubt is Doubt.NONE and word.text not in outputs]
        commits += _commits(sentence, tuple(sure), rules)
        output = outputs[0] if len(set(outputs)) == 1 else ""
        if output or (sentence.fence is not None and not outputs):
            figures += _figures(sentence, output, rules)
    return Claims(tuple(commits), tuple(figures))


def _is_output(path: str, rules: FigureRules) -> bool:
    """Whether a path is that of an output: by its extension, or by where it stands."""
    return path.rpartition(".")[2].lower() in rules.outputs or path.startswith(rules.output_folders)


class _Digits(NamedTuple):
    """Hexadecimal digits of a sentence: where they stand in its text, and whether they are inline code."""

    start: int
    end: int
    text: str
    code: bool


def _commits(sentence: Sentence, paths: tuple[str, ...], claims: ClaimRules) -> Iterator[CommitClaim]:
    """The commits that a sentence names: digits in inline code, or after the word for a commit."""
    rules = claims.hashes
    words = frozenset(plain_words(sentence.text).split())
    away = not words.isdisjoint(rules.elsewhere)
    held = paths if words.isdisjoint(rules.beside) else ()
    found = list(_digits_in(sentence, rules))
    named, end = False, 0
    for digits, line in zip(found, sentence.line_of(it.start for it in found), strict=True):
        gap = plain_words(sentence.text[end : digits.start]).split()
        before = plain_words(sentence.text[max(end, digits.start - claims.reach) : digits.start]).split()
        listed = named and all(word in rules.joiners for word in gap)
        named = listed or _is_named(before, rules)
        end = digits.end
        if (digits.code or named) and _may_be_commit(digits, sentence.text):
            sure = named or _is_plainly_hash(digits.text, before, rules)
            linked = sentence.text.startswith("](", digits.end)
            yield CommitClaim(digits.text, line, sure and not away and not linked, held)


def _digits_in(sentence: Sentence, rules: HashRules) -> Iterator[_Digits]:
    """In order; words that are only spelled like digits are left out."""
    found = [
        _Digits(span.offset, span.offset + 1, span.text.strip().lower(), code=True)
        for span in sentence.spans
        if _hexadecimal().fullmatch(span.text.strip())
    ]
    found += (
        _Digits(match.start(), match.end(), match.group().lower(), code=False)
        for match in _hexadecimal().finditer(sentence.text)
    )
    for digits in sorted(found):
        known = digits.text in rules.plain_words or not digits.text.strip("0")  # all zeros are Git's word for none
        if rules.digits.fit(digits.text) and not known:
            yield digits


def _is_named(before: list[str], rules: HashRules) -> bool:
    """Whether the word for a commit leads to what follows."""
    while before and before[-1] in rules.joiners:
        before = before[:-1]
    return bool(before) and before[-1] in rules.words


def _may_be_commit(digits: _Digits, text: str) -> bool:
    """A plain number in prose is one of something when a word follows ("commit 1000000 rows")."""
    return digits.code or not digits.text.isdecimal() or not text[digits.end :][:2].strip()[:1].isalnum()


def _is_plainly_hash(digits: str, before: list[str], rules: HashRules) -> bool:
    """Whether digits that nothing calls a commit are one's: no number, of no other length, and nothing else's."""
    number = digits.isdecimal() or all(map(str.isdecimal, digits.split("e", 1)))
    other = len(digits) in rules.other_lengths or len(digits) == rules.digits.whole
    return not number and not other and rules.others.isdisjoint(before[-rules.nearest_words :])


def _figures(sentence: Sentence, output: str, claims: ClaimRules) -> Iterator[FigureClaim]:
    """The figures of a sentence with what they count; not those that are rounded or limits by their own words."""
    rules = claims.figures
    matches = list(_figure().finditer(sentence.text))
    for match, line in zip(matches, sentence.line_of(it.start() for it in matches), strict=True):
        figure, word = match["figure"] or match["after"], (match["word"] or match["name"]).casefold()
        before = sentence.text[max(0, match.start() - claims.reach) : match.start()].rstrip()
        vague = match["more"] or before.endswith(rules.about_signs) or (word in rules.counted and "." in figure)
        last = plain_words(before).split()[-1:]
        if vague or not rules.about.isdisjoint(last) or figure in rules.unstated:
            continue
        if word in rules.counted or word in rules.measured:
            ratios = None if word in rules.counted else rules.measured[word]
            fence = None if output else sentence.fence
            yield FigureClaim(figure, word, line, ratios, output, fence)


@cache
def _hexadecimal() -> re.Pattern[str]:
    """A whole word of hexadecimal digits; no part of a UUID, a path, a colour or an address."""
    return re.compile(r"(?<![\w./#@-])[0-9a-fA-F]++(?![\w-])")


@cache
def _figure() -> re.Pattern[str]:
    """A number, perhaps with thousands set apart, and the word or sign right after it; or a word, a colon, a number."""
    number = r"[0-9]{1,3}(?:[ ,\u00a0\u202f][0-9]{3})+(?![0-9])|[0-9]{1,15}(?:[.,][0-9]{1,15})?"
    word = r"[^\W\d_]{1,30}"
    led = rf"(?<!\w)(?P<name>{word})[ \t]?[:=][ \t]?(?P<after>{number})(?![\w.%+/-]|[ \t]?[%])"
    followed = rf"(?<![\w.,\-–])(?P<figure>{number})(?![0-9.])(?P<more>\+?)[ \t\n]?(?P<word>%|{word})"
    return re.compile(f"{led}|{followed}")

"""What is measured in a text, by the word lists of ``verify.measures``: numbers with what they count, exact values.

The text has one sign in the place of each piece of inline code (``VALUE``, ``NAMED``, ``COMMAND``) and of each number
that only names something (``MASKED``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.documents.names import naming_numbers
from verify.documents.phrases import Phrases, Plurals, Token, skipped, tokens_of
from verify.words import folded

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

VALUE: Final = "\ue000"
"""Inline code that may be a value."""
NAMED: Final = "\ue001"
"""Inline code that names something: a path, a call."""
COMMAND: Final = "\ue002"
"""Inline code that is a command."""
MASKED: Final = "\ue003"

_OPENING_QUOTES: Final = "\"“„«‘'"
_SIGNED: Final = "-+−."  # before the digits of a number
_LINKS: Final = ":=-–—"  # between a verb and its value


class MeasureRules(NamedTuple):
    """What ``verify.measures`` says. Columns and fields are case-folded.

    ``named`` finds numbers that are names; ``starts`` are the tokens, beside numbers, with which a measure begins.
    """

    short_units: Phrases
    long_units: Phrases
    plurals: Plurals
    leading_units: Phrases
    signs: Phrases
    comparisons: Phrases
    comparison_fillers: Phrases
    most_comparison_fillers: int
    ratios: Phrases
    tests: Phrases
    long_tests: Phrases
    lone_units: Phrases
    number_words: Phrases
    adverbs: Phrases
    verbs: Phrases
    copulas: Phrases
    fillers: Phrases
    most_fillers: int
    values: Phrases
    results: Phrases
    arrows: Phrases
    endings: Phrases
    test_endings: Phrases
    columns: frozenset[str]
    other_fields: frozenset[str]
    named: re.Pattern[str]
    starts: frozenset[str]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> MeasureRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.measures"))
        units, compared, outcomes = value["units"], value["comparisons"], value["outcomes"]
        beginnings = [units["leading"], compared["signs"], compared["words"], value["number_words"]]
        beginnings += [outcomes["verbs"], outcomes["copulas"], outcomes["arrows"]]
        return cls(
            short_units=Phrases(units["short"]),
            long_units=Phrases(units["long"]),
            plurals=Plurals(tuple(units["plurals"]), tuple(units["no_plurals"]), units["plural_letters"]),
            leading_units=Phrases(units["leading"]),
            signs=Phrases(compared["signs"]),
            comparisons=Phrases(compared["words"]),
            comparison_fillers=Phrases([*compared["fillers"], *compared["articles"]]),
            most_comparison_fillers=compared["most_fillers"],
            ratios=Phrases(compared["ratios"]),
            tests=Phrases(compared["tests"]),
            long_tests=Phrases(sign for sign in compared["tests"] if len(sign) > 1),
            lone_units=Phrases(compared["lone_units"]),
            number_words=Phrases(value["number_words"]),
            adverbs=Phrases(value["adverbs"]),
            verbs=Phrases(outcomes["verbs"]),
            copulas=Phrases(outcomes["copulas"]),
            fillers=Phrases(outcomes["fillers"]),
            most_fillers=outcomes["most_fillers"],
            values=Phrases(outcomes["values"]),
            results=Phrases(outcomes["results"]),
            arrows=Phrases(outcomes["arrows"]),
            endings=Phrases(value["endings"]),
            test_endings=Phrases(value["test_endings"]),
            columns=folded(value["columns"]),
            other_fields=folded(value["other_fields"]),
            named=naming_numbers(value["numbered"], value["no_numbers"]),
            starts=frozenset(first for words in beginnings for first in Phrases(words).firsts),
        )

    def measured(self, text: str) -> str:
        """A number with a comparison or a unit, a ratio, or an outcome with its exact value; empty without one."""
        tokens = tokens_of(text)
        for place, token in enumerate(tokens):
            if not (token.is_number or token.text in self.starts):
                continue
            end = self._counted(tokens, place) or self._compared(tokens, place) or self._stated(tokens, place)
            if end:
                return text[token.start : tokens[end - 1].end]
        return ""

    def written(self, text: str) -> str:
        """The same in inline code that is no command: a comparison, a unit, or what something is set to."""
        tokens = tokens_of(text)
        for place in range(len(tokens)):
            taken = self.tests.at(tokens, place)
            is_set = taken and place + taken < len(tokens)
            end = self._counted(tokens, place) or self._compared(tokens, place) or (is_set and place + taken + 1)
            if end:
                return text[tokens[place].start : tokens[end - 1].end]
        return ""

    def tested(self, text: str) -> str:
        """A test of an exact value inside a command; empty without one."""
        return found(self.long_tests, text)

    def expected(self, text: str) -> str:
        """The exact value that a text begins with, empty without one."""
        tokens = tokens_of(text)
        start = next((at for at, token in enumerate(tokens) if token.text[0].isalnum() or self._sign(tokens, at)), 0)
        end = self._value(tokens, self.fillers.after(tokens, start, self.most_fillers))
        return text[tokens[start].start : tokens[end - 1].end] if end else ""

    def masked(self, text: str) -> str:
        """``text`` with a sign in the place of every number that names something."""
        return self.named.sub(MASKED, text)

    def _counted(self, tokens: Sequence[Token], place: int) -> int:
        """Behind a number and its unit (a single word may stand between), or a ratio; 0 where none begins."""
        leading = self.leading_units.at(tokens, place)
        if leading and _number(tokens, place + leading):
            return place + leading + 1
        number = _number(tokens, place)
        after = number or place + self.number_words.at(tokens, place)
        if after == place:
            return 0
        units = self.long_units.at(tokens, after)
        if units or not number:
            return after + units if units else 0
        ratio = self.ratios.at(tokens, after)
        if ratio and _number(tokens, after + ratio):
            return after + ratio + 1
        after = skipped(tokens, after, "+-–", 2)
        units = self.short_units.at(tokens, after) or self.long_units.at(tokens, after)
        apart = after < len(tokens) and tokens[after].start > tokens[number - 1].end  # "2FA" is no number of things
        if not units and after < len(tokens) and tokens[after].is_word:
            units = apart and self.plurals.at(tokens, after)
            after += not units
            units = units or self.long_units.at(tokens, after) or (apart and self.plurals.at(tokens, after))
        return after + units if units else 0

    def _compared(self, tokens: Sequence[Token], place: int) -> int:
        """Behind a comparison and its number, or its unit ("within a minute"); 0 where none begins."""
        taken = self.signs.at(tokens, place)
        if taken and (end := self._amount(tokens, place + taken)):
            return end
        taken = self.comparisons.at(tokens, place)
        if not taken:
            return 0
        after = self.comparison_fillers.after(tokens, place + taken, self.most_comparison_fillers)
        for start in (place + taken, after):
            number = self._amount(tokens, start)
            words = max(it.at(tokens, start) for it in (self.number_words, self.adverbs, self.lone_units))
            if number or words:
                return number or start + words
        return 0

    def _amount(self, tokens: Sequence[Token], place: int) -> int:
        """Behind a number, perhaps with its sign and what is written before it; 0 where none stands."""
        return _number(tokens, skipped(tokens, place + self.leading_units.at(tokens, place), _SIGNED, 2))

    def _stated(self, tokens: Sequence[Token], place: int) -> int:
        """Behind an outcome and its value; 0 where none begins."""
        taken = self.arrows.at(tokens, place)
        if taken:
            return self._value(tokens, place + taken)
        taken = self.verbs.at(tokens, place)
        if taken and (end := self._value(tokens, self._led(tokens, place + taken))):
            return end
        taken = self.copulas.at(tokens, place)
        if not taken:
            return 0
        after = self._led(tokens, place + taken)
        sign = self._sign(tokens, after)
        if sign and tokens[after].text != NAMED:
            return sign
        words = self.values.at(tokens, after)
        return after + words if words else 0

    def _led(self, tokens: Sequence[Token], place: int) -> int:
        """Where the value after a verb begins."""
        return self.fillers.after(tokens, skipped(tokens, place, _LINKS), self.most_fillers)

    def _value(self, tokens: Sequence[Token], place: int) -> int:
        """Behind an exact value; 0 where none begins."""
        sign = self._sign(tokens, place)
        if sign:
            return sign
        words = max(it.at(tokens, place) for it in (self.values, self.results, self.number_words, self.adverbs))
        return place + words if words else 0

    def _sign(self, tokens: Sequence[Token], place: int) -> int:
        """Behind a number, a text in quotes or code; 0 where none begins."""
        if place >= len(tokens):
            return 0
        if tokens[place].text in (VALUE, NAMED):
            return place + 1
        if tokens[place].text in _OPENING_QUOTES:
            return place + 2 if place + 1 < len(tokens) and tokens[place + 1].text not in _OPENING_QUOTES else 0
        return self._amount(tokens, place)


def found(phrases: Phrases, text: str) -> str:
    """The first of some phrases in a text, as it is written there; empty without one."""
    tokens = tokens_of(text)
    place, end = next(phrases.found_in(tokens), (0, 0))
    return text[tokens[place].start : tokens[end - 1].end] if end else ""


def _number(tokens: Sequence[Token], place: int) -> int:
    return place + 1 if place < len(tokens) and tokens[place].is_number else 0

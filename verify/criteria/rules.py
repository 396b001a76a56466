"""``verify.criteria`` as code uses it: word lists as sets, labels as one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.words import either, folded, folded_in_order, longest_first

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


@dataclass(frozen=True)
class LabelRules:
    """How a label is spelled. The pattern has no nested repetition and only possessive ones: it can't backtrack."""

    families: tuple[str, ...]
    separators: tuple[str, ...]
    folds: Mapping[int, str]
    range_signs: tuple[str, ...]
    range_words: tuple[str, ...]
    range_max: int
    list_signs: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A label, a range of two, or one with further numbers, as a whole token.

        Groups: ``family``, ``axis``, ``body`` (number, dotted parts, letter) of the first label; ``last_family``,
        ``last_axis`` and ``last_body`` of the second, or ``tail`` where only numbers are written (``AC-1..3,5``).
        """
        family, written = either(self.families), f"(?:{either(filter(None, self.separators))})"
        separator = f"{written}?" if "" in self.separators else written

        def label(prefix: str) -> str:
            axis = rf"{written}(?P<{prefix}axis>[A-Z])"
            return rf"(?P<{prefix}family>{family})(?:{axis}|{separator})(?P<{prefix}body>{_NUMBER}[a-z]?)"

        signs, gap = either(self.range_signs), "[ \t]{0,3}"
        hyphens = either(word for word in self.range_words if not word.isalnum())
        words = either(word for word in self.range_words if word.isalnum())
        full = rf"{gap}(?:{signs}|{hyphens}|(?<=[ \t])(?:{words})(?=[ \t])){gap}{label('last_')}"
        tail = rf"(?P<tail>(?:(?:{self._tail_signs}){_NUMBER})++)"
        return re.compile(rf"(?<![\w-]){label('')}(?:(?:{full}|{tail}){_END}|{_END})")

    @cached_property
    def tail_pattern(self) -> re.Pattern[str]:
        """One sign and number of a ``tail``."""
        return re.compile(rf"(?P<sign>{self._tail_signs})(?P<number>{_NUMBER})")

    @property
    def _tail_signs(self) -> str:
        hyphens = (word for word in self.range_words if not word.isalnum())
        return either([*self.range_signs, *hyphens, *self.list_signs])


_NUMBER = r"[0-9]{1,6}+(?:\.[0-9]{1,6}+){0,3}+"

# What may not follow a label directly: more of a word, a hyphen that goes on, a further dotted part.
_END = r"(?!\w|-\w|\.[0-9])"


class DefinitionRules(NamedTuple):
    """What a definition may look like; every word is case-folded. ``most`` labels are defined in one document.

    ``reference_reach`` is in characters.
    """

    most: int
    lead_words: tuple[str, ...]
    joiners: tuple[str, ...]
    bullets: tuple[str, ...]
    pointers: tuple[str, ...]
    strikes: tuple[str, ...]
    reference_reach: int
    references: tuple[str, ...]
    running_words: frozenset[str]
    citing_sections: frozenset[str]
    citing_columns: frozenset[str]


class CueRules(NamedTuple):
    """What a verification cue looks like; every word but the markers is case-folded.

    Each placeholder ends in a space, so that it matches the beginning of a text at the end of a word.
    """

    markers: tuple[str, ...]
    placeholders: tuple[str, ...]
    empty_answers: frozenset[str]
    other_fields: frozenset[str]
    columns: frozenset[str]


class CommandRules(NamedTuple):
    """What makes a text a command; programs are case-sensitive."""

    programs: frozenset[str]
    plain_words: frozenset[str]
    product_names: frozenset[str]
    verbs: frozenset[str]
    prose_words: frozenset[str]
    data_signs: frozenset[str]
    argument_signs: frozenset[str]
    script_extensions: tuple[str, ...]
    script_prefixes: tuple[str, ...]
    program_directories: frozenset[str]
    program_suffixes: tuple[str, ...]
    prompts: frozenset[str]
    openings: str
    comments: tuple[str, ...]


@dataclass(frozen=True)
class CriteriaRules:
    """Everything that the policy says about acceptance criteria."""

    labels: LabelRules
    definitions: DefinitionRules
    cues: CueRules
    commands: CommandRules
    waivers: tuple[str, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> CriteriaRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        return cls.from_value(cast("Mapping[str, Any]", policies.data("verify.criteria")))

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> CriteriaRules:
        """The same from the payload itself."""
        return cls(
            labels=_label_rules(value["labels"]),
            definitions=_definition_rules(value["definitions"]),
            cues=_cue_rules(value["cues"]),
            commands=_command_rules(value),
            waivers=tuple(value["waivers"]),
        )


def _label_rules(value: Mapping[str, Any]) -> LabelRules:
    return LabelRules(
        families=tuple(value["families"]),
        separators=tuple(value["separators"]),
        folds={ord(written): meant for written, meant in value["folds"].items()},
        range_signs=tuple(value["range_signs"]),
        range_words=tuple(value["range_words"]),
        range_max=value["range_max"],
        list_signs=tuple(value["list_signs"]),
    )


def _definition_rules(value: Mapping[str, Any]) -> DefinitionRules:
    return DefinitionRules(
        most=value["most"],
        lead_words=longest_first(folded_in_order(value["lead_words"])),
        joiners=tuple(value["joiners"]),
        bullets=tuple(value["bullets"]),
        pointers=tuple(value["pointers"]),
        strikes=tuple(value["strikes"]),
        reference_reach=value["reference_reach"],
        references=_beginnings(value["references"]),
        running_words=folded(value["running_words"]),
        citing_sections=folded(value["citing_sections"]),
        citing_columns=folded(value["citing_columns"]),
    )


def _cue_rules(value: Mapping[str, Any]) -> CueRules:
    return CueRules(
        markers=longest_first(value["markers"]),
        placeholders=_beginnings(value["placeholders"]),
        empty_answers=folded(value["empty_answers"]),
        other_fields=folded(value["other_fields"]),
        columns=folded(value["columns"]),
    )


def _command_rules(value: Mapping[str, Any]) -> CommandRules:
    return CommandRules(
        programs=frozenset(value["commands"]),
        plain_words=frozenset(value["plain_words"]),
        product_names=frozenset(value["product_names"]),
        verbs=frozenset(value["verbs"]),
        prose_words=folded(value["prose_words"]),
        data_signs=frozenset(value["data_signs"]),
        argument_signs=frozenset(value["argument_signs"]),
        script_extensions=tuple(value["script_extensions"]),
        script_prefixes=tuple(value["script_prefixes"]),
        program_directories=frozenset(value["program_directories"]),
        program_suffixes=tuple(value["program_suffixes"]),
        prompts=frozenset(value["prompts"]),
        openings=value["openings"] + " \t",
        comments=tuple(value["comments"]),
    )


def _beginnings(words: Iterable[str]) -> tuple[str, ...]:
    """Case-folded words, each with the space that ends it."""
    return tuple(f"{word.casefold()} " for word in words)

"""``verify.criteria`` as code uses it: word lists as sets, labels as one pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

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

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A label, or a range of two, as a whole token.

        Groups: ``family``, ``body`` (axis, number, dotted parts, letter) of the first label; ``last_family`` and
        ``last_body`` of the second, or ``last_number`` where only its number is written.
        """
        family, number = _either(self.families), r"[0-9]{1,6}+(?:\.[0-9]{1,6}+){0,3}+"
        separator = f"(?:{_either(filter(None, self.separators))}){'?' if '' in self.separators else ''}"

        def label(prefix: str) -> str:
            axis = rf"-(?P<{prefix}axis>[A-Z])"
            return rf"(?P<{prefix}family>{family})(?:{axis}|{separator})(?P<{prefix}body>{number}[a-z]?)"

        signs, gap = _either(self.range_signs), "[ \t]{0,3}"
        hyphens = _either(word for word in self.range_words if not word.isalnum())
        words = _either(word for word in self.range_words if word.isalnum())
        full = rf"{gap}(?:{signs}|{hyphens}|(?<=[ \t])(?:{words})(?=[ \t])){gap}{label('last_')}"
        short = rf"(?:{signs})(?P<last_number>{number})"
        return re.compile(rf"(?<![\w-]){label('')}(?:(?:{full}|{short}){_END}|{_END})")


# What may not follow a label directly: more of a word, a hyphen that goes on, a further dotted part.
_END = r"(?!\w|-\w|\.[0-9])"


class DefinitionRules(NamedTuple):
    """What a definition may look like; every word is case-folded."""

    lead_words: tuple[str, ...]
    joiners: tuple[str, ...]
    bullets: tuple[str, ...]
    pointers: tuple[str, ...]
    running_words: frozenset[str]
    citing_sections: frozenset[str]
    citing_columns: frozenset[str]


class CueRules(NamedTuple):
    """What a verification cue looks like; every word but the markers is case-folded."""

    markers: tuple[str, ...]
    placeholders: frozenset[str]
    other_fields: frozenset[str]
    columns: frozenset[str]


class CommandRules(NamedTuple):
    """What makes a text a command; programs are case-sensitive."""

    programs: frozenset[str]
    plain_words: frozenset[str]
    product_names: frozenset[str]
    verbs: frozenset[str]
    argument_signs: frozenset[str]
    script_extensions: tuple[str, ...]
    script_prefixes: tuple[str, ...]
    program_directories: frozenset[str]
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
    )


def _definition_rules(value: Mapping[str, Any]) -> DefinitionRules:
    return DefinitionRules(
        lead_words=_longest_first(word.casefold() for word in value["lead_words"]),
        joiners=tuple(value["joiners"]),
        bullets=tuple(value["bullets"]),
        pointers=tuple(value["pointers"]),
        running_words=_folded(value["running_words"]),
        citing_sections=_folded(value["citing_sections"]),
        citing_columns=_folded(value["citing_columns"]),
    )


def _cue_rules(value: Mapping[str, Any]) -> CueRules:
    return CueRules(
        markers=_longest_first(value["markers"]),
        placeholders=_folded(value["placeholders"]),
        other_fields=_folded(value["other_fields"]),
        columns=_folded(value["columns"]),
    )


def _command_rules(value: Mapping[str, Any]) -> CommandRules:
    return CommandRules(
        programs=frozenset(value["commands"]),
        plain_words=frozenset(value["plain_words"]),
        product_names=frozenset(value["product_names"]),
        verbs=frozenset(value["verbs"]),
        argument_signs=frozenset(value["argument_signs"]),
        script_extensions=tuple(value["script_extensions"]),
        script_prefixes=tuple(value["script_prefixes"]),
        program_directories=frozenset(value["program_directories"]),
        prompts=frozenset(value["prompts"]),
        openings=value["openings"] + " \t",
        comments=tuple(value["comments"]),
    )


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=len, reverse=True))


def _either(words: Iterable[str]) -> str:
    """An alternation in which no word hides a longer one."""
    return "|".join(map(re.escape, _longest_first(words)))

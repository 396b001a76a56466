"""The policy ``verify.paths`` as values: which words are paths, what marks one as new, how far a path is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

R = TypeVar("R")


class WordRules(NamedTuple):
    """What a single word must look like to be a path; the lists are explained in the policy."""

    extensions: frozenset[str]
    infixes: frozenset[str]
    names: frozenset[str]
    plain_names: frozenset[str]
    products: frozenset[str]
    product_suffixes: frozenset[str]
    top_level_domains: frozenset[str]
    host_like: frozenset[str]
    receivers: frozenset[str]
    objects: frozenset[str]
    attributes: frozenset[str]
    foreign: frozenset[str]
    doubtful: frozenset[str]
    ellipses: tuple[str, ...]
    placeholders: tuple[str, ...]
    system_directories: frozenset[str]
    harmless: tuple[str, ...]
    made_later: tuple[str, ...]


class CommandRules(NamedTuple):
    """How a span of several words is told from a path with spaces, and which of its words are claims."""

    programs: frozenset[str]
    prefixes: frozenset[str]
    patterned: frozenset[str]
    creating: frozenset[str]
    copying: frozenset[str]
    elsewhere: frozenset[str]
    unclaimed_options: frozenset[str]
    statements: frozenset[str]
    arrows: tuple[str, ...]
    leads: frozenset[str]
    most_words: int


class MarkRules(NamedTuple):
    """How a plan says that a path is new. All in lower case."""

    beginnings: frozenset[str]
    step_words: frozenset[str]
    phrases: tuple[str, ...]
    bracketed: frozenset[str]
    joiners: frozenset[str]


class NestedRules(NamedTuple):
    """Bounds of the search for nested repositories: levels, directories read, entries seen, repositories found."""

    depth: int
    directories: int
    entries: int
    repositories: int
    skip: frozenset[str]


class PathRules(NamedTuple):
    """Everything that the policy says about cited paths."""

    longest_span: int
    most_links: int
    owed_at: frozenset[str]
    words: WordRules
    commands: CommandRules
    marks: MarkRules
    nested: NestedRules

    @classmethod
    def from_policy(cls, policies: PolicySet) -> PathRules:
        """The rules of the loaded policies: ``verify.paths``, and the programs that ``verify.criteria`` knows."""
        value = cast("Mapping[str, Any]", policies.data("verify.paths"))
        criteria = cast("Mapping[str, Any]", policies.data("verify.criteria"))
        return cls.from_values(value, criteria["commands"])

    @classmethod
    def from_values(cls, value: Mapping[str, Any], commands: tuple[str, ...]) -> PathRules:
        """The same from the payloads themselves; their shapes have proved the types."""
        named = value["commands"]
        return cls(
            longest_span=value["longest_span"],
            most_links=value["most_links"],
            owed_at=frozenset(value["owed_at"]),
            words=_build(WordRules, value["words"]),
            commands=_build(CommandRules, {**named, "programs": (*named["programs"], *commands)}),
            marks=_build(MarkRules, value["marks"]),
            nested=_build(NestedRules, value["nested"]),
        )


def _build(cls: type[R], value: Mapping[str, Any]) -> R:
    """A record of rules whose fields are named as the payload's keys; lists become what the field is declared as."""
    makers: dict[str, type] = {"frozenset[str]": frozenset, "tuple[str, ...]": tuple, "int": int}
    # A named tuple keeps its annotations as forward references, that is, as the text that stands in the class.
    annotated: Mapping[str, Any] = cls.__annotations__
    declared = {name: str(getattr(kind, "__forward_arg__", kind)) for name, kind in annotated.items()}
    return cls(**{name: makers[kind](value[name]) for name, kind in declared.items()})

"""The front matter of a log: JSON values as YAML that nothing in them can break, and the strict way back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.redaction import well_formed

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

FENCE: Final = "---\n"
UNFOLDED: Final = 2**31 - 1
TAG: Final = "tag:yaml.org,2002:"


class Unreadable(ValueError):
    """Text that is no front matter, or one that is not read: the message says why."""


class Bounds(NamedTuple):
    """From ``verify.log``: how deep and how large a front matter may be."""

    depth_max: int
    nodes_max: int

    @classmethod
    def from_policy(cls, policies: PolicySet) -> Bounds:
        value = cast("Mapping[str, int]", policies.data("verify.log"))
        return cls(value["depth_max"], value["nodes_max"])


def dump(header: Mapping[str, object]) -> str:
    """A mapping of JSON values as YAML between two fences, keys in their order.

    A text with any character that doesn't show stands on one line in double quotes with that character escaped, and
    so does one that some reader takes for a number or a date: no text can end the front matter, hide or change.
    """
    import yaml

    raw = yaml.dump(
        header, Dumper=_dumper(), allow_unicode=True, default_flow_style=False, sort_keys=False, width=UNFOLDED
    )
    return FENCE + _hidden().sub(_escape, raw) + FENCE


def load(text: str, bounds: Bounds) -> dict[str, Any]:
    """The mapping between the fences at the beginning of ``text``, or that which is the whole of it.

    Raises ``Unreadable`` for broken or too large YAML, for aliases, anchors, tags and duplicate keys. Only JSON's
    own spellings have a type; a time is text.
    """
    import yaml

    source = _between_fences(text)
    try:
        _require_plain(source, bounds)
        value = yaml.load(source, Loader=_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(_first_line(error)) from error
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise Unreadable("the front matter is no mapping of names")
    return value


def _between_fences(text: str) -> str:
    text = text.replace("\r\n", "\n")
    if not text.startswith(FENCE):
        return text
    end = text.find("\n" + FENCE, len(FENCE) - 1)
    if end < 0 and text.endswith("\n---"):
        end = len(text) - len(FENCE)
    if end < 0:
        raise Unreadable("the front matter does not end")
    return text[len(FENCE) : end + 1]


def _require_plain(source: str, bounds: Bounds) -> None:
    """Look at the events before anything is built: what they would build is bounded, and is nothing but JSON."""
    import yaml

    depth = nodes = documents = 0
    for event in yaml.parse(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        documents += isinstance(event, yaml.DocumentStartEvent)
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            nodes += 1
            depth += isinstance(event, yaml.CollectionStartEvent)
            if event.anchor is not None:
                raise Unreadable("anchors and aliases are not read")
            if getattr(event, "tag", None) is not None:
                raise Unreadable("tags are not read")
        if depth > bounds.depth_max or nodes > bounds.nodes_max or documents > 1:
            raise Unreadable("the front matter is deeper or larger than a log's, or holds several documents")


@cache
def _dumper() -> Any:
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, _data: object) -> bool:
            return True

    def represent_text(dumper: Any, text: str) -> Any:
        whole = well_formed(text)
        return dumper.represent_scalar(TAG + "str", whole, style=None if _is_plain(whole) else '"')

    Dumper.add_representer(str, represent_text)
    Dumper.add_multi_representer(Mapping, lambda dumper, value: dumper.represent_dict(value))
    return Dumper


def _is_plain(text: str) -> bool:
    """Whether ``text`` shows, and no reader of any YAML takes it for something other than text."""
    from toolkit.policy.syntax.scalars import AmbiguousScalar, resolve_plain

    try:
        return text.isprintable() and resolve_plain(text) == text
    except AmbiguousScalar:
        return False


@cache
def _loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - filled below

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            mapping = super().construct_mapping(node, deep)
            if len(mapping) != len(node.value):
                raise Unreadable("a key stands twice")
            return mapping

    for name, pattern, first in _scalars():
        Loader.add_implicit_resolver(TAG + name, pattern, first)
    return Loader


def _scalars() -> tuple[tuple[str, re.Pattern[str], list[str]], ...]:
    """The spellings that are no text: JSON's, each with the characters that it may begin with."""
    digits = list("-0123456789")
    return (
        ("null", re.compile(r"(?:null|)\Z"), ["n", ""]),
        ("bool", re.compile(r"(?:true|false)\Z"), ["t", "f"]),
        ("int", re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), digits),
        ("float", re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z"), digits),
    )


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(r"[^\n -~]")


def _escape(match: re.Match[str]) -> str:
    """A character that doesn't show, as the escape that double quotes know; one that shows, as it is."""
    char = match[0]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__

"""One configuration file: the provider that it names, read as YAML without building or running anything of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from verify.providers.chain import SHOWN, Configured, ProviderError
from verify.providers.rules import ConfigRules

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node

TEXT, NULL, MERGE = (f"tag:yaml.org,2002:{name}" for name in ("str", "null", "merge"))
# These end a line, and so a comment, in YAML 1.1 only: what follows one would count although no editor shows it so.
HIDDEN_BREAKS = ("\x85", "\u2028", "\u2029")


def read_config(path: Path, shown: str, rules: ConfigRules) -> Configured | None:
    """What the file says, or null where there is none. ``shown`` is its name in messages.

    Links are followed: whoever names a file may have linked it. A file that is there and can't be read, or that says
    something that is no text, is a ``fault``; so nothing that stands there is ever taken for silence.
    """
    try:
        data = read_bounded(Path(os.path.realpath(path)), rules.max_bytes)
    except (StorageError, ValueError) as fault:
        if isinstance(fault, StorageError) and fault.code == "not_found" and not os.path.lexists(path):
            return None
        reason = fault.message if isinstance(fault, StorageError) else "no file can have this name"
        return Configured(shown, fault=_fault(shown, f"can't be read: {reason}"))
    try:
        return _said(data, shown, rules)
    except ProviderError as fault:
        return Configured(fault.place or shown, fault=fault)


def _said(data: bytes, shown: str, rules: ConfigRules) -> Configured:
    root = _tree(_text(data, shown), shown, rules)
    section = _value(root, rules.section, shown)
    if section is None or section.tag == NULL:
        return Configured(shown)
    provider = _value(section, rules.key, shown, f"{rules.section} ")
    if provider is None or (provider.tag == NULL and provider.value == ""):
        return Configured(shown)
    place = f"{shown}:{_line(provider)}"
    if provider.tag != TEXT:
        _refuse(place, _no_text(provider, f"{rules.section}.{rules.key}"))
    return Configured(place, provider.value)


def _text(data: bytes, shown: str) -> str:
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(f"{shown}:{line}", f"is not UTF-8: {error.reason}")
    for char in HIDDEN_BREAKS:
        if char in text:
            line = text.count("\n", 0, text.index(char)) + 1
            _refuse(f"{shown}:{line}", f"holds U+{ord(char):04X}, which only some YAML readers take for a line's end")
    return text


def _tree(text: str, shown: str, rules: ConfigRules) -> Node | None:
    """The file as YAML nodes: nothing is constructed, an alias is the node that it names and never a copy."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_size(yaml.parse(text, Loader=loader), shown, rules)
        root: Node | None = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        _refuse(f"{shown}:{mark.line + 1 if mark else 1}", f"is not YAML: {error.problem or error.context}")
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an escape that names no character
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        _refuse(f"{shown}:{line}", f"is not YAML: {visible(str(error), SHOWN)}")
    _check_keys(root, shown)
    return root


def _check_size(events: Iterator[Any], shown: str, rules: ConfigRules) -> None:
    from yaml import events as kinds

    depth = nodes = 0
    for event in events:
        nodes += isinstance(event, kinds.NodeEvent)
        depth += isinstance(event, kinds.CollectionStartEvent) - isinstance(event, kinds.CollectionEndEvent)
        if depth > rules.depth_max or nodes > rules.nodes_max:
            message = f"has more than {rules.depth_max} levels or {rules.nodes_max} values"
            _refuse(f"{shown}:{_line(event)}", message)


def _check_keys(root: Node | None, shown: str) -> None:
    """No mapping anywhere in the file has the same key twice: readers disagree about which one counts."""
    from yaml.nodes import CollectionNode, MappingNode, ScalarNode

    waiting: list[Any] = [root] if root is not None else []
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or not isinstance(node, CollectionNode):
            continue
        seen.add(id(node))
        if not isinstance(node, MappingNode):
            waiting.extend(node.value)
            continue
        first: dict[tuple[str, str], Node] = {}
        for key, value in node.value:
            waiting += (key, value)
            known = first.setdefault((key.tag, key.value), key) if isinstance(key, ScalarNode) else key
            if known is not key:
                where = f"first on line {_line(known)}"
                _refuse(f"{shown}:{_line(key)}", f"has the key '{visible(key.value, SHOWN)}' twice, {where}")


def _value(node: Node | None, name: str, shown: str, subject: str = "") -> Node | None:
    """The value of the text key ``name``; null where there is none. Raises ``ProviderError`` where it can't be told."""
    from yaml.nodes import MappingNode

    if node is None or node.tag == NULL:
        return None
    if not isinstance(node, MappingNode):
        _refuse(f"{shown}:{_line(node)}", f"{subject}is no mapping of keys to values".lstrip())
    return _entry(node, name, shown)


def _entry(node: MappingNode, name: str, shown: str) -> Node | None:
    found: Node | None = None
    for key, value in node.value:
        if key.tag == MERGE:
            _refuse(f"{shown}:{_line(key)}", "has a merge key (<<) here, which is not read: write the keys out")
        if key.tag == TEXT and key.value == name:
            found = value
    return found


def _no_text(node: Node, name: str) -> str:
    from yaml.nodes import ScalarNode

    off = "to switch the review off write none"
    if not isinstance(node, ScalarNode):
        return f"{name} is no text but a list or a mapping"
    kind = node.tag.rpartition(":")[2]
    return f"{name} is '{visible(node.value, SHOWN)}', which YAML reads as {kind} and not as text; {off}"


def _line(marked: Any) -> int:
    return marked.start_mark.line + 1 if marked.start_mark is not None else 1


def _fault(place: str, message: str) -> ProviderError:
    step = "mend the file, or leave it out with --no-config"
    return ProviderError("bad_config", message, place=place, next_step=step)


def _refuse(place: str, message: str) -> NoReturn:
    raise _fault(place, message)

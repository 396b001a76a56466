"""Letters that look like others: a word that mixes scripts, or one that passes for a name which the set knows.

Which letters look alike is Unicode's own list (UTS 39), as ``confusable_homoglyphs`` carries it. Whole words in any
script are nobody's business, and neither is a pattern that lists letters: escapes (``\\b``) are no letters, and the
letters of a class (``[a-zа-я]``) are no word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple
from unicodedata import name, normalize

from toolkit.policy.layers import Source
from toolkit.policy.problems import Mark, Problems, shown
from toolkit.policy.syntax.nodes import MapNode, Node, ScalarNode, parts_of, read_yaml

CODE: Final = "homoglyph"
LATIN, CYRILLIC = "LATIN", "CYRILLIC"  # as the names of their letters begin
ESCAPES: Final = (b"\\u", b"\\U", b"\\x")  # how a file in ASCII holds other letters


class _Text(NamedTuple):
    """A key or a value that is text, and its place."""

    text: str
    mark: Mark


def hold_letters(sources: Sequence[Source], known: Collection[str], problems: Problems) -> None:
    """Record each word of a key or value that is not what it looks like. ``known`` are the names of the set."""
    for source in sources:
        if source.data.isascii() and not any(escape in source.data for escape in ESCAPES):
            continue
        unheard = Problems()  # a file that can't be read was told before
        with unheard.within(""), problems.within(""):
            root = read_yaml(source.data, source.file, unheard)
            identity = root.entries.get("id") if isinstance(root, MapNode) else None
            if isinstance(identity, ScalarNode) and isinstance(identity.value, str):
                problems.document = identity.value[:100]
            for one in _texts(root):
                _hold(one, known, problems)


def _texts(root: Node) -> Iterator[_Text]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ScalarNode):
            if isinstance(node.value, str):
                yield _Text(node.value, node.mark)
            continue
        if isinstance(node, MapNode):
            yield from (_Text(key, mark) for key, mark in node.key_marks.items())
        waiting += [part for _step, part in parts_of(node)]


def _hold(one: _Text, known: Collection[str], problems: Problems) -> None:
    text, mark = one
    if text.isascii():
        return
    looks = _looks_like(text)
    if looks != text and looks in known and looks.isascii():
        character = next(char for char in text if not char.isascii())
        message = f"{shown(text)} looks like the name {looks!r}: {_told(character)} resembles {_alike(character)!r}"
        problems.add(CODE, message, mark, f"did you mean {looks!r}?")
        return
    for word in _words(text):
        found = _intruder(word)
        if found is not None:
            character, resembles = found
            like = f" resembles {resembles!r}" if resembles else ""
            message = f"the word {shown(word)} mixes scripts: {_told(character)}{like}"
            problems.add(CODE, message, mark, "write the whole word in one script")
            return


def _words(text: str) -> Iterator[str]:
    """The words of a text that may mix scripts: those with letters of ASCII and others."""
    is_pattern = "\\" in text or "(?" in text
    if is_pattern:
        text = _escape().sub(" ", text)
    if is_pattern or "*" in text:
        text = _class().sub(" ", text)
    for match in _word().finditer(text):
        word = match[0]
        if not word.isascii() and any(char.isascii() for char in word):
            yield word


def _intruder(word: str) -> tuple[str, str] | None:
    """The letter of a word that is of another script, and the one that it looks like; null where all is as it seems.

    Latin and Cyrillic never meet in a word. A symbol of another script may (``μs``), unless it looks like a letter.
    """
    scripts = [_script(char) for char in word]
    counted = Counter(scripts)
    others = [char for char, script in zip(word, scripts, strict=True) if script != LATIN]
    alike = [char for char in others if _alike(char)]
    if not (alike or CYRILLIC in counted):
        return None
    (main, _count), *_rest = counted.most_common()
    if main == LATIN:
        char = next(iter(alike), others[0])
        return char, _alike(char) or _alike(char.upper()).lower()
    latin = [char for char, script in zip(word, scripts, strict=True) if script == LATIN]
    twins = {char: _twin(char, main) for char in latin}
    char = next((char for char in latin if twins[char]), latin[0])
    return char, twins[char]


def _looks_like(text: str) -> str:
    return "".join(char if char.isascii() else _alike(char) or char for char in text)


def _told(character: str) -> str:
    return f"{character!r} U+{ord(character):04X} ({name(character, 'a letter without a name')})"


@cache
def _script(character: str) -> str:
    """The script of a letter: the first word of its name."""
    return name(character, "").partition(" ")[0]


@cache
def _alike(character: str) -> str:
    """The letter or digit of ASCII that a character looks like; empty where there is none."""
    plain = normalize("NFKC", character)
    if len(plain) == 1 and plain.isascii() and plain.isalnum():
        return plain
    return next((one for one in _homoglyphs(character, LATIN) if one.isascii() and one.isalnum()), "")


@cache
def _twin(character: str, script: str) -> str:
    """The letter of a script that a letter of ASCII looks like; empty where there is none."""
    alike = (one for one in _homoglyphs(character, script) if _script(one) == script)
    return next((one for one in alike if one.islower() == character.islower()), "")


def _homoglyphs(character: str, script: str) -> list[str]:
    """The single characters that look like one, among them some of a script."""
    from confusable_homoglyphs.confusables import is_confusable

    found = is_confusable(character, preferred_aliases=[script]) or []
    return sorted(one["c"] for part in found for one in part["homoglyphs"] if len(one["c"]) == 1)


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+")


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(r"\\(?:[pPx]\{[^{}]{0,40}\}|[^\W_])")


@cache
def _class() -> re.Pattern[str]:
    return re.compile(r"\[[^\[\]]*\]")

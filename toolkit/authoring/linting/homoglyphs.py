"""Letters that look like others: a word that mixes scripts, or one that passes for a name which the set knows.

Which letters look alike is Unicode's own list (UTS 39), as ``confusable_homoglyphs`` carries it. Latin and Cyrillic
never meet in a word; a letter of another script may stand by Latin ones unless it looks Latin. Other forms of ASCII
letters (fullwidth, mathematical) are told wherever they stand. Whole words in any script are nobody's business.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple
from unicodedata import category, decomposition, name, normalize

from toolkit.authoring.linting.patterns import PATTERNS, literals_of
from toolkit.policy.layers import Source
from toolkit.policy.problems import Mark, Problems, shown
from toolkit.policy.syntax.nodes import MapNode, Node, ScalarNode, read_yaml

CODE: Final = "homoglyph"
LATIN, CYRILLIC = "LATIN", "CYRILLIC"  # as the names of their letters begin
ESCAPES: Final = (b"\\u", b"\\U", b"\\x")  # how a file in ASCII holds other letters


DISTINCT: Final = "\u03c3\u03b3"  # sigma and gamma, which UTS 39 lists beside o and y and nobody takes for them
RAISED: Final = ("<super>", "<sub>")  # forms of a letter that are seen to be another: an exponent, an ordinal
SMALL_CAPITAL: Final = "LATIN LETTER SMALL CAPITAL "
FOLDED: Final = str.maketrans("1I0", "llO")  # what looks alike within ASCII


class _Text(NamedTuple):
    """A key or a value that is text, and its place; ``pattern`` is the key of the glob or the pattern that it is."""

    text: str
    mark: Mark
    pattern: str | None = None


def hold_letters(sources: Sequence[Source], known: Collection[str], problems: Problems) -> None:
    """Record each word of a key or value that is not what it looks like.

    ``known`` are the names of the set. One of a single letter is left out: many scripts have a word that looks so.
    """
    looks = {name.translate(FOLDED): name for name in sorted(known) if name.isascii() and len(name) > 1}
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
                if not one.text.isascii():
                    _hold(one, looks, problems)


def _texts(root: Node) -> Iterator[_Text]:
    waiting: list[tuple[Node, str | None]] = [(root, None)]
    while waiting:
        node, key = waiting.pop()
        if isinstance(node, ScalarNode):
            if isinstance(node.value, str):
                yield _Text(node.value, node.mark, key if key in PATTERNS else None)
        elif isinstance(node, MapNode):
            yield from (_Text(key, mark) for key, mark in node.key_marks.items())
            waiting += [(part, key) for key, part in node.entries.items()]
        else:
            waiting += [(part, key) for part in node.items]


def _hold(one: _Text, names: Mapping[str, str], problems: Problems) -> None:
    """Record the first thing that a text deceives by. ``names`` are those of the set, by what they look like."""
    text, mark, pattern = one
    named = names.get("".join(map(_looks_like, text)).translate(FOLDED))
    if named is not None:
        character = next(char for char in text if not char.isascii())
        message = f"{shown(text)} looks like the name {named!r}: {_told(character)}{_resembling(_alike(character))}"
        problems.add(CODE, message, mark, f"did you mean {named!r}?")
        return
    form = next(filter(_is_form, text), None)
    if form is not None:
        plain = normalize("NFKC", form)
        problems.add(CODE, f"{_told(form)} is another form of {plain!r}", mark, f"write {plain!r}")
        return
    for match in _word().finditer(literals_of(text, pattern) if pattern else text):
        found = None if match[0].isascii() else _intruder(match[0])
        if found is not None:
            character, resembles = found
            message = f"the word {shown(match[0])} mixes scripts: {_told(character)}{_resembling(resembles)}"
            problems.add(CODE, message, mark, "write the whole word in one script")
            return


def _resembling(other: str) -> str:
    return f" resembles {other!r}" if other else ""


def _intruder(word: str) -> tuple[str, str] | None:
    """The letter of a word that is of another script, and the one that it looks like; null where all is as it seems.

    Latin and Cyrillic never meet in a word. A letter of another script may (``μs``), unless it looks Latin.
    """
    scripts = [_script(char) for char in word]
    counted = Counter(scripts)
    if LATIN not in counted:
        return None
    others = [char for char, script in zip(word, scripts, strict=True) if script != LATIN]
    alike = [char for char in others if char not in DISTINCT and _alike(char)]
    if not (alike or CYRILLIC in counted):
        return None
    (main, _count), *_rest = counted.most_common()
    if main == LATIN:
        char = next(iter(alike), others[0])
        return char, _alike(char) or _alike(char.upper()).lower()
    latin = [char for char, script in zip(word, scripts, strict=True) if script == LATIN]
    twins = {char: _twin(char, main) for char in latin}
    char = next((char for char in latin if twins[char]), (alike or latin)[0])
    return char, twins.get(char) or _alike(char)


@cache
def _looks_like(character: str) -> str:
    """What a character looks like in ASCII, else itself; a ligature looks like its letters."""
    plain = normalize("NFKC", character)
    return plain if plain.isascii() and not _is_raised(character) else _alike(character) or character


@cache
def _is_form(character: str) -> bool:
    """Whether a character is a letter or a digit of ASCII in another form: fullwidth, mathematical, a ligature."""
    if character.isascii() or category(character) not in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"):
        return False
    return normalize("NFKC", character).isascii() and not _is_raised(character)


def _is_raised(character: str) -> bool:
    return decomposition(character).startswith(RAISED)


def _told(character: str) -> str:
    return f"{character!r} U+{ord(character):04X} ({name(character, 'a letter without a name')})"


@cache
def _script(character: str) -> str:
    """The script of a letter: the first word of its name."""
    return name(character, "").partition(" ")[0]


@cache
def _alike(character: str) -> str:
    """The letter or digit of ASCII that a character looks like, a letter of the same case first; empty for none."""
    if _is_raised(character):
        return ""
    plain = normalize("NFKC", character)
    if len(plain) == 1 and plain.isascii() and plain.isalnum():
        return plain
    capital = name(character, "").removeprefix(SMALL_CAPITAL)
    if len(capital) == 1:
        return capital.lower()
    found = [one for one in _homoglyphs(character, LATIN) if one.isascii() and one.isalnum()]
    return min(found, key=lambda one: (one.isdigit(), one.islower() != character.islower(), one), default="")


@cache
def _twin(character: str, script: str) -> str:
    """The letter of a script that a letter of ASCII looks like; empty where there is none."""
    alike = (one for one in _homoglyphs(character, script) if _script(one) == script)
    return next((one for one in alike if one.islower() == character.islower()), "")


def _homoglyphs(character: str, script: str) -> list[str]:
    """The single characters that look like one, among them some of a script."""
    from confusable_homoglyphs.confusables import is_confusable

    own = _script(character) == script  # what is of a script that is preferred is not looked up
    found = is_confusable(character, preferred_aliases=[] if own else [script]) or []
    return sorted(one["c"] for part in found for one in part["homoglyphs"] if len(one["c"]) == 1)


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+")

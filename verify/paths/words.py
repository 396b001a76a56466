"""One word of inline code, read as a path: whether it is one, which part of it, and how sure that is."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from verify.paths.rules import WordRules


class Doubt(Enum):
    """What it means when nothing stands at a path."""

    NONE = "none"  # the path is missing
    UNLESS_ANCHORED = "unless-anchored"  # missing where its first folder exists, else perhaps no path at all
    UNLESS_FOUND = "unless-found"  # perhaps no path at all
    UNREAD = "unread"  # no path could be read from it; it is only counted


class Word(NamedTuple):
    """A word that may be a path. ``text`` is the path alone, ``readings`` are other ways to read the same words.

    Where one of the readings exists, the path exists. ``new`` says that the command which names it creates it.
    """

    text: str
    doubt: Doubt
    readings: tuple[str, ...] = ()
    new: bool = False


def read_word(raw: str, rules: WordRules) -> Word | None:
    """The path that a word cites; null where it cites none (a URL, a glob, a version, a dotted name of code…)."""
    word = _value(unquoted(raw.rstrip(",")))
    if not word or word[0] in "~-" or "://" in word or word.startswith("//"):
        return None
    text = _without_place(word, rules)
    doubt = _doubt(text, rules)
    if doubt is None:
        return None
    others = [raw, word, text.lstrip("/"), text.removeprefix("@")]
    return Word(text, doubt, tuple(dict.fromkeys(other for other in others if other and other != text)))


def unquoted(word: str) -> str:
    """``word`` without the quotation marks that enclose the whole of it."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1]
    return word


def names_file(name: str, rules: WordRules) -> bool:
    """Whether a last segment looks like a file's: a known name, or a stem with a known extension."""
    if name in rules.names or name in rules.plain_names:
        return True
    stem, dot, extension = name.rpartition(".")
    if dot and extension.lower() in rules.extensions and any(map(str.isalnum, stem)):
        return True
    return _of_known_family(name, rules)


def _of_known_family(name: str, rules: WordRules) -> bool:
    """Whether a known name stands before some dot: ``.env.example`` is one of ``.env``, ``Dockerfile.dev`` too."""
    dot = name.find(".", 1)
    return 0 < dot < len(name) - 1 and name[:dot] in rules.names


def _value(word: str) -> str:
    """What an option or a variable is set to (``--config=a.yaml``, ``CONF=a.yaml``); any other word as it is."""
    name, equals, value = word.partition("=")
    if equals and name.strip("-").replace("-", "_").isidentifier():
        return unquoted(value)
    return word


def _without_place(word: str, rules: WordRules) -> str:
    """``word`` without the place inside the file: ``:42``, ``:10-20``, ``::test_y``, ``#L10``, ``#heading``."""
    start = 0
    for segment in word.split("/"):
        cuts = [cut for cut in (segment.find(":"), segment.find("#")) if cut > 0]
        if cuts and names_file(segment[: min(cuts)], rules):
            return word[: start + min(cuts)]
        start += len(segment) + 1
    return word


def _doubt(text: str, rules: WordRules) -> Doubt | None:
    """How sure it is that ``text`` is a path; null: it is none."""
    if not text.isprintable() or not rules.foreign.isdisjoint(text) or any(mark in text for mark in rules.ellipses):
        return None
    segments = text.split("/")
    last = segments[-1] or (segments[-2] if len(segments) > 1 else "")
    if last in ("", ".", ".."):
        return None
    if "\\" in text or ":" in text:  # another system's path, a revision's file, a host's: nothing to look up here
        return Doubt.UNREAD if names_file(text.replace("\\", "/").rpartition("/")[2], rules) else None
    if text[0] == "/":
        return _absolute(text, segments, rules)
    if ".." in segments:
        return Doubt.NONE if names_file(last, rules) else Doubt.UNLESS_FOUND
    if text[-1] == "/":
        return _folder(text, segments, rules)
    if not names_file(last, rules):
        return Doubt.UNLESS_FOUND if segments[0] == "." else None
    return _lone_name(last, rules) if len(segments) == 1 else _relative(text, segments, rules)


def _absolute(text: str, segments: list[str], rules: WordRules) -> Doubt | None:
    """An absolute path: one of the system's, or a file's below some folder; ``/robots.txt`` may be a site's."""
    named = [segment for segment in segments if segment]
    if text.startswith(rules.harmless):
        return None
    if named[0] in rules.system_directories:
        return Doubt.NONE if len(named) > 1 else None
    if text[-1] == "/" or not names_file(named[-1], rules):
        return None
    return Doubt.NONE if len(named) > 1 else Doubt.UNREAD


def _folder(text: str, segments: list[str], rules: WordRules) -> Doubt:
    """A folder is written like a route or a branch: only one below a folder that exists is surely meant as a path."""
    if _uncertain(text, rules) or sum(1 for segment in segments if segment not in ("", ".")) == 1:
        return Doubt.UNLESS_FOUND
    return Doubt.UNLESS_ANCHORED


def _lone_name(name: str, rules: WordRules) -> Doubt | None:
    """A file name without a folder, which is easily taken for a product, a host or a member of an object."""
    if name in rules.names or _of_known_family(name, rules):
        return Doubt.NONE
    parts = name.split(".")
    extension = parts[-1].lower()
    if name.lower() in rules.products:
        return Doubt.UNLESS_FOUND if name.islower() else None
    if parts[0] in rules.receivers or "(" in name or _is_address(name):
        return None
    if not parts[0] and all(part in rules.extensions or part in rules.infixes for part in parts[1:]):
        return None  # `.yaml`, `.d.ts`: an extension, no file
    member = parts[0] in rules.objects and extension in rules.attributes
    product = name[0].isupper() and len(parts) == 2 and extension in rules.product_suffixes
    initial = len(parts) == 2 and len(parts[0]) == len(extension) == 1
    if member or product or initial or extension in rules.host_like:
        return Doubt.UNLESS_FOUND
    return Doubt.UNLESS_FOUND if name in rules.plain_names or _uncertain(name, rules) else Doubt.NONE


def _relative(text: str, segments: list[str], rules: WordRules) -> Doubt:
    if segments[-1].lower() in rules.products or _uncertain(text, rules):
        return Doubt.UNLESS_FOUND
    return Doubt.UNLESS_ANCHORED if _is_host(segments[0], rules) else Doubt.NONE


def _uncertain(text: str, rules: WordRules) -> bool:
    """Whether a path holds rare characters or a stand-in, or is written by a tool or a later stage."""
    if not rules.doubtful.isdisjoint(text) or any(mark in text for mark in rules.placeholders):
        return True
    return text.removeprefix("./").startswith(rules.made_later)


def _is_host(segment: str, rules: WordRules) -> bool:
    """Whether a first segment looks like a host's name or an IPv4 address."""
    labels = segment.split(".")
    if len(labels) == 1 or not all(labels):
        return False
    return labels[-1] in rules.top_level_domains or all(map(str.isdigit, labels))


def _is_address(name: str) -> bool:
    """Whether it is an e-mail address or a login (``logo@2x.png`` is a file)."""
    who, at, where = name.partition("@")
    return bool(who and at) and where[:1].isalpha()

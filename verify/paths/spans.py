"""One span of inline code: a path, a path with spaces, or a command line with paths in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verify.paths.rules import PathRules
from verify.paths.words import Doubt, Word, names_file, read_word, unquoted

UNREAD = Word("", Doubt.UNREAD)


class Token(NamedTuple):
    """A word of a command line as written, or an operator of the shell. ``glued``: no space before it."""

    text: str
    operator: bool
    glued: bool


def read_span(text: str, rules: PathRules) -> tuple[Word, ...]:
    """The words of a code span that may be paths, each at least once. Total: any text has an answer.

    The span as a whole is a further reading of each of them, so that no file that exists is ever taken for
    missing because its name looks like a command.
    """
    span = text.strip()
    if not span or any(arrow in span for arrow in rules.commands.arrows):
        return ()
    if len(span) > rules.longest_span:
        return (UNREAD,)
    return tuple(
        word if span in (word.text, *word.readings) else word._replace(readings=(*word.readings, span))
        for word in _words(span, rules)
    )


def _words(span: str, rules: PathRules) -> Sequence[Word]:
    if not any(map(str.isspace, span)):
        return _known(read_word(span, rules.words))
    tokens = _tokens(span)
    words = [token.text for token in tokens if not token.operator]
    if not words or words[0] in rules.commands.statements:
        return ()
    if _is_command(words, rules):
        return _command_line(tokens, rules)
    if any(token.glued and token.text == "(" for token in tokens):
        return ()  # a call of some function
    if len(words) == len(tokens):
        spaced = _spaced(span, words, rules)
        if spaced is not None:
            return (spaced,)
    return [_loose(word, read) for word in words for read in _known(read_word(word, rules.words))]


def _known(word: Word | None) -> tuple[Word, ...]:
    return () if word is None else (word,)


@cache
def _pattern() -> re.Pattern[str]:
    """Words with their quoted parts, escapes, substitutions and ``<placeholders>``, or one operator. Linear."""
    piece = r""""[^"]*"|'[^']*'|\\.|\$\([^()]*\)|<[^<>|;&]*>|[^\s"'|;&<>()]"""
    return re.compile(rf"(?P<word>(?:{piece})+)|(?:\|\||&&|>>|[|;&<>()])", re.DOTALL)


def _tokens(span: str) -> list[Token]:
    tokens: list[Token] = []
    end = 0
    for match in _pattern().finditer(span):
        text = match.group().rstrip(",") or ","
        tokens.append(Token(text, match.group("word") is None, match.start() == end and end > 0))
        end = match.end()
    return tokens


def _is_command(words: Sequence[str], rules: PathRules) -> bool:
    """Whether the first word, after variables and prompts, is a program; or some word is an option."""
    commands = rules.commands
    if any(word[0] == "-" and len(word) > 1 for word in words[1:]):
        return True
    for word in words:
        if word in commands.prefixes:
            return True
        if "=" not in word:
            name = word.rpartition("/")[2]
            return name in commands.programs or word.startswith("./") or names_file(name, rules.words)
    return True


def _command_line(tokens: Sequence[Token], rules: PathRules) -> list[Word]:
    """The claims of a command line. After a ``cd``, or on another machine, nothing can be looked up: unread."""
    words = [word for simple in _simple_commands(tokens) for word in _operands(simple, rules)]
    if any(token.text.partition("=")[0] in rules.commands.elsewhere for token in tokens):
        return [UNREAD for _ in words]
    return words


def _simple_commands(tokens: Sequence[Token]) -> Iterator[list[str]]:
    """The words of each simple command; what output is redirected to is left out: it need not exist."""
    words: list[str] = []
    redirected = False
    for token in tokens:
        if not token.operator:
            words += [] if redirected else [token.text]
            redirected = False
        elif token.text[0] == ">":
            redirected = True
        elif token.text != "<" and not redirected:
            yield words
            words = []
    yield words


def _operands(words: Sequence[str], rules: PathRules) -> list[Word]:
    """The words of one simple command that claim a path, in order."""
    commands = rules.commands
    start = 0
    while start < len(words) and (words[start] in commands.prefixes or "=" in words[start]):
        start += 1
    before = [read for word in words[:start] for read in _known(read_word(word, rules.words))]
    if start == len(words):
        return before
    program, arguments = words[start], words[start + 1 :]
    claims = list(_arguments(program, arguments, rules))
    verbs = {program.rpartition("/")[2], *arguments[:1]}
    if not verbs.isdisjoint(commands.creating):
        claims = [claim._replace(new=True) for claim in claims]
    elif claims and not verbs.isdisjoint(commands.copying):
        claims[-1] = claims[-1]._replace(new=True)
    return [*before, *_known(read_word(program, rules.words)), *claims]


def _arguments(program: str, arguments: Sequence[str], rules: PathRules) -> Iterator[Word]:
    commands = rules.commands
    pattern_due = program.rpartition("/")[2] in commands.patterned
    skip = False
    for argument in arguments:
        if skip:
            skip = False
            continue
        option, equals, _ = argument.partition("=")
        if argument[0] == "-" and (option in commands.unclaimed_options or not equals):
            skip = option in commands.unclaimed_options and not equals
            continue
        if pattern_due and argument[0] != "-":
            pattern_due = False
            continue
        yield from (_quoted(argument, word) for word in _known(read_word(argument, rules.words)))


def _quoted(argument: str, word: Word) -> Word:
    """A quoted argument may be a pattern or a sentence: it claims a path only below a folder that exists."""
    if word.doubt is not Doubt.NONE or unquoted(argument) == argument:
        return word
    if "/" not in word.text:
        return word._replace(doubt=Doubt.UNLESS_FOUND)
    return word._replace(doubt=Doubt.UNLESS_ANCHORED) if " " in word.text else word


def _spaced(span: str, words: Sequence[str], rules: PathRules) -> Word | None:
    """A path with spaces in it: a folder in it, and only its end looks like a file."""
    if "/" not in span or len(words) > rules.commands.most_words:
        return None
    if any(word[0] in rules.commands.leads for word in words[1:]):
        return None
    if any(names_file(word.rpartition("/")[2], rules.words) for word in words[:-1]):
        return None
    word = read_word(span, rules.words)
    if word is None or word.doubt is Doubt.UNREAD:
        return None
    tail = word.text.rpartition(" ")[2]
    return word._replace(readings=(*word.readings, tail)) if "/" in tail else word


def _loose(raw: str, word: Word) -> Word:
    """A word of a span that is neither a path nor a known command: a bare or quoted name in it claims nothing."""
    if word.doubt is Doubt.NONE and ("/" not in word.text or unquoted(raw) != raw):
        return word._replace(doubt=Doubt.UNLESS_FOUND)
    return word

"""Whether a piece of code is a command: what a person would type to verify something."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from verify.criteria.rules import CommandRules

QUOTES = "\"'"
NO_FILE = frozenset("<>*?[]{}")
"""Characters that make a name a pattern or a placeholder."""


def command_in(text: str, rules: CommandRules) -> str | None:
    """The first word of ``text`` if that is a command, else null.

    ``text`` is inline code or the content of a fence: the first line that is neither blank nor a comment counts, after
    a prompt and any ``NAME=value``. Linear in the text.
    """
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or stripped.startswith(rules.comments):
            continue
        return _command_of(stripped, rules)
    return None


def _command_of(line: str, rules: CommandRules) -> str | None:
    prompt, _, command = line.partition(" ")
    rest = (command if prompt in rules.prompts else line).lstrip(rules.openings)
    assigned = _assignments().match(rest)
    word, *arguments = rest[assigned.end() if assigned else 0 :].split() or [""]
    if _is_quoted(word) or (arguments and _is_data(arguments, rules)):
        return None
    word = word.strip("\"'`;()")
    return word if _is_script(word, rules) or _is_program(word, arguments, rules) else None


def _is_quoted(word: str) -> bool:
    """A string such as ``"make",`` is a value, not the name of a program."""
    value = word.rstrip(",;)")
    return len(value) > 1 and value[0] in QUOTES and value[-1] == value[0]


def _is_data(arguments: list[str], rules: CommandRules) -> bool:
    """What no command goes on with: an assignment, a list, a sentence (``make sure``), a row of a table."""
    second = arguments[0]
    if second in rules.data_signs or second.endswith(",") or second.casefold() in rules.prose_words:
        return True
    if second != "|":
        return False
    piped = (word for sign, word in pairwise([*arguments, ""]) if sign == "|")
    return not all(word in rules.programs or _is_script(word, rules) for word in piped)


def _is_script(word: str, rules: CommandRules) -> bool:
    """A script by its prefix, its extension (``x.py::test_name`` too), or the directory of programs it stands in."""
    if "://" in word or NO_FILE & set(word):
        return False
    path = word.partition("::")[0]
    if path.startswith(rules.script_prefixes):
        return any(char.isalnum() for char in path)
    extension = next((end for end in rules.script_extensions if path.endswith(end)), None)
    if extension is not None:
        return path[: -len(extension)][-1:].isalnum()
    *folders, name = path.split("/")
    return bool(folders) and folders[-1] in rules.program_directories and name in rules.programs


def _is_program(word: str, arguments: list[str], rules: CommandRules) -> bool:
    suffix = next((end for end in rules.program_suffixes if word.endswith(end)), "")
    name = word.removesuffix(suffix)
    if name not in rules.programs:
        return False
    if name in rules.plain_words:
        verb = bool(arguments) and arguments[0] in rules.verbs
        return verb or any(_shows_a_command(argument, rules) for argument in arguments)
    return bool(arguments) or name not in rules.product_names


def _shows_a_command(argument: str, rules: CommandRules) -> bool:
    """A flag, a file with an extension, a sign of the shell, or another program that is no plain word."""
    if argument.startswith("-") and len(argument) > 1:
        return True
    if rules.argument_signs & set(argument):
        return True
    stem, dot, extension = argument.rpartition(".")
    if dot and stem and extension.isalpha():
        return True
    return argument in rules.programs and argument not in rules.plain_words


@cache
def _assignments() -> re.Pattern[str]:
    """``NAME=value`` before a command, any number of times; every repetition is possessive, so nothing backtracks."""
    return re.compile(r"""(?:[A-Za-z_]\w*+=(?:"[^"]*+"|'[^']*+'|[^\s"'])*+\s++)*+""")

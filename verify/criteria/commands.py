"""Whether a piece of code is a command: what a person would type to verify something."""

from __future__ import annotations

import re
from functools import cache

from verify.criteria.rules import CommandRules

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
    word = word.strip("\"'`;,()")
    return word if _is_script(word, rules) or _is_program(word, arguments, rules) else None


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
    name = word.removesuffix(".exe")
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

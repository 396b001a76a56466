"""Names of files as Git keeps them: bytes, of any kind. How they are held, and how they are shown."""

from __future__ import annotations

from typing import Final

# Git's C quoting (quote.c): these bytes have letters, all others outside of printable ASCII three octal digits.
_LETTERS: Final = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def decoded(name: bytes) -> str:
    """A name as text: UTF-8, and every byte that is none as a lone surrogate, so that nothing is lost."""
    return name.decode("utf-8", "surrogateescape")


def encoded(name: str) -> bytes:
    """The bytes of a name that ``decoded`` made."""
    return name.encode("utf-8", "surrogateescape")


def quoted(path: str) -> str:
    """A path as it is shown: itself, or in Git's C quoting where it is not UTF-8 or begins with a quotation mark."""
    return path if not path.startswith('"') and _is_text(path) else spelled(path)


def on_one_line(path: str) -> str:
    """A path as valid UTF-8 that shows whole on one line: itself, or in Git's C quoting where it does not so stand.

    One that begins with a quotation mark is quoted too, so that no two paths are shown alike.
    """
    return path if not path.startswith('"') and _is_plain(path) else spelled(path)


def enclosed(text: str) -> str:
    """Text of one line in quotation marks, as Git quotes what shows as itself with ``core.quotePath=false``."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def spelled(path: str) -> str:
    """A path in Git's C quoting, whatever it holds: printable ASCII on one line."""
    return '"' + "".join(map(_spelled, encoded(path))) + '"'


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_plain(path: str) -> bool:
    return all(character.isprintable() or character == " " for character in path)  # a lone surrogate is not printable


def _spelled(byte: int) -> str:
    if byte in _LETTERS:
        return "\\" + _LETTERS[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"

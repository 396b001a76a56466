"""Outputs that a document cites (files, code blocks), and whether a figure stands in them."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from verify.documents.archive_claims import FigureClaim, FigureRules
from verify.errors import VerificationUndetermined
from verify.floor.check import FloorContext
from verify.floor.paths import declared_roots
from verify.paths import Outcome

_SHOWN = 160  # characters of a line that are shown


class Output:
    """The text of one output. ``ref`` names it, ``line`` is where its first line stands (1-based)."""

    def __init__(self, text: str, ref: str, line: int) -> None:
        self._text = text
        self._ref = ref
        self._line = line

    def shows(self, claim: FigureClaim) -> bool:
        """Whether the figure stands there as a whole number; a measured one may be rounded or in another unit."""
        wanted = set(_values(claim.figure))
        if not wanted.isdisjoint(self._numbers):
            return True
        ratios = claim.ratios
        return ratios is not None and any(self._nearly(figure, ratios) for figure in wanted)

    def says(self, word: str) -> bool:
        """Whether the word of a figure stands there, or a number at all where it is no word but a sign."""
        return word in self._text.casefold() if word.isalpha() else bool(self._numbers)

    def place(self, word: str) -> str:
        """The line that has the word of the figure, else the first one, as ``file:line "text"``."""
        lines = self._text.split("\n")
        at = next((at for at, line in enumerate(lines) if word in line.casefold()), 0)
        return f'{self._ref}:{self._line + at} "{visible(lines[at].strip(), _SHOWN)}"'

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        return frozenset(value for match in _number().finditer(self._text) for value in _values(match.group()))

    @cached_property
    def _ascending(self) -> list[Decimal]:
        return sorted(self._numbers)

    def _nearly(self, figure: Decimal, ratios: Sequence[int]) -> bool:
        """Whether some number, perhaps in another unit, is the figure when it is rounded to as many places."""
        half = Decimal(5).scaleb(int(figure.as_tuple().exponent) - 1)
        whole = [Decimal(ratio) for ratio in ratios]
        for ratio in (Decimal(1), *whole, *(1 / one for one in whole)):
            at = bisect_left(self._ascending, (figure - half) / ratio)
            if at < len(self._ascending) and self._ascending[at] <= (figure + half) / ratio:
                return True
        return False


class Outputs:
    """The outputs that the claims of a document cite, each read at most once."""

    def __init__(self, context: FloorContext, rules: FigureRules) -> None:
        self._context = context
        self._rules = rules
        self._read: dict[str, Output | StorageError | None] = {}

    def of(self, claim: FigureClaim, path: str) -> Output | None:
        """The output of a claim; null where its file does not exist.

        ``path`` is the document's own. Raises ``StorageError`` for a file that can't be read, and
        ``VerificationUndetermined`` for one that lies outside of the roots.
        """
        if claim.fence is not None:
            return Output(claim.fence.text, path, claim.fence.line + 1)
        if claim.output not in self._read:
            self._read[claim.output] = self._opened(claim.output)
        found = self._read[claim.output]
        if isinstance(found, StorageError):
            raise found
        return found

    def _opened(self, name: str) -> Output | StorageError | None:
        resolution = self._context.once(declared_roots).resolve(name)
        if resolution.outcome is Outcome.MISSING:
            return None
        root = resolution.root
        real = Path(os.path.realpath(root / name)) if root is not None else None
        if root is None or real is None or not real.is_relative_to(os.path.realpath(root)):
            message = f"the output {visible(name)} leads out of the declared roots, and was not read"
            raise VerificationUndetermined("path_outside_roots", message, place=visible(name))
        try:
            data = read_bounded(real, self._rules.output_max_bytes)
        except StorageError as fault:
            return None if fault.code == "not_found" else fault
        ref = os.path.relpath(root / name, self._context.task.workspace.root)
        return Output(data.decode("utf-8", "replace"), visible(ref), 1)


def _values(written: str) -> Iterator[Decimal]:
    """What a number may mean: a comma may set thousands apart, or decimal places."""
    plain = written.translate(_SPACES)
    if _thousands().fullmatch(plain):
        yield Decimal(plain.replace(",", "").replace(" ", ""))
    if plain.count(".") + plain.count(",") <= 1 and " " not in plain:
        yield Decimal(plain.replace(",", "."))


_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " "})


@cache
def _thousands() -> re.Pattern[str]:
    return re.compile(r"[0-9]{1,3}(?:[ ,][0-9]{3}){1,5}(?:\.[0-9]{1,15})?")


@cache
def _number() -> re.Pattern[str]:
    """A whole number of an output: no part of a word, a version or a longer number."""
    return re.compile(r"(?<!\w)(?<![0-9][.,])[0-9]{1,15}(?:,[0-9]{3}){0,4}(?:[.,][0-9]{1,15})?(?![0-9]|[.,][0-9])")

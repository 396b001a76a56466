"""From text to pieces: the parser's events, and the comments between them, each with what it belongs to.

A comment at the end of a line belongs to what ends or begins on that line. One on a line of its own belongs to what
follows it, or to the end of a block where it is indented as that block is. The text was read strictly before: it holds
one document without anchors, aliases, tags, directives and empty values.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from toolkit.authoring.formatting.pieces import BLOCK_STYLES, Collection, Comment, Leaf, Piece

BRACKETS: Final = ("{", "[")


class Untold(Exception):
    """Some comment was not found: the text is not as this module takes it to be."""


class _Pending(NamedTuple):
    """A comment on a line of its own whose place is not told yet."""

    column: int
    comment: Comment


def read_pieces(text: str) -> Collection:
    """The document of a text that was read strictly before, has line feeds only and a mapping at its top."""
    return _Reader(text).read()


class _Reader:
    """``at`` is where the last thing that was read ends; all between it and the next thing is space and comments.

    ``open`` are the collections that are open, each with the piece that holds it, and whether a bracket opened it.
    ``last`` is the piece that ended last, where a comment at the end of its line goes; null right after an opening
    bracket.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[tuple[Collection, Piece, bool]] = []
        self.last: Piece | None = None
        self.pending: list[_Pending] = []
        self.blank = False  # whether an empty line stands right before what comes next
        self.begins = False  # whether it begins a line
        self.root = Piece(None)
        self.signs = 0  # the number signs that were seen, in scalars and in comments

    def read(self) -> Collection:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for event in yaml.parse(self.text, Loader=loader):
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._begin(event, isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                self._end(event)
        self._look(len(self.text))
        root = self.root.value
        assert isinstance(root, Collection)
        root.below += self._taken()
        if self.signs != self.text.count("#"):
            raise Untold
        return root

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._look(start)
        raw = self.text[start:end]
        self.signs += raw.count("#")
        leaf = Leaf(event.value, event.style or "", raw)
        self.at = start + len(raw.rstrip()) if leaf.style in BLOCK_STYLES else end
        holder = self.open[-1][0] if self.open else None
        if holder is not None and holder.mapping and not _waits(holder):
            holder.pieces.append(Piece(leaf, None, self._taken(), blank=self._was_blank(), begins=self.begins))
            self.last = holder.pieces[-1]
            return
        piece = self._piece()
        piece.value = leaf
        self.last = piece
        if leaf.style in BLOCK_STYLES:
            header, _, _ = raw.partition("\n")
            _, sign, told = header.partition("#")
            if sign:
                piece.notes.append((sign + told).rstrip())
            self.last = None  # whatever stands behind it stands on a line of its own

    def _begin(self, event: Any, mapping: bool) -> None:
        start = event.start_mark.index
        bracket = bool(event.flow_style) and self.text[start : start + 1] in BRACKETS  # else: the pair in [key: value]
        self._look(start)
        piece = self._piece(nested=not event.flow_style)
        made = Collection(mapping, bool(event.flow_style), event.start_mark.column)
        piece.value = made
        self.open.append((made, piece, bracket))
        if bracket:
            self.at = event.end_mark.index
            self.last = None

    def _end(self, event: Any) -> None:
        made, piece, bracket = self.open.pop()
        if made.pieces and piece.key is None and piece is not self.root:  # behind a dash there is no line above
            first = made.pieces[0]
            piece.above += [comment._replace(blank=False) for comment in first.above]
            first.above = []
        if bracket:
            self._look(event.start_mark.index)
            made.below += self._taken()
            self.at, self.last, self.blank = event.end_mark.index, piece, False
        if made.flow:
            return
        self._look(event.start_mark.index)
        around = self.open[-1][0].column if self.open else -1
        column = max(made.column, around + 1)
        count = 0
        while count < len(self.pending) and self.pending[count].column >= column:
            count += 1
        made.below += [one.comment for one in self.pending[:count]]
        del self.pending[:count]

    def _piece(self, *, nested: bool = False) -> Piece:
        """The piece whose value begins here. Comments before it are its own, or those of a block's first piece."""
        if not self.open:
            return self.root
        holder = self.open[-1][0]
        if not holder.mapping:
            holder.pieces.append(Piece(None, None, self._taken(), blank=self._was_blank(), begins=self.begins))
            return holder.pieces[-1]
        piece = holder.pieces[-1]
        if not nested:
            piece.above += self._taken()
            self.blank = False
        return piece

    def _taken(self) -> list[Comment]:
        if not self.pending:
            return []
        taken = [one.comment for one in self.pending]
        self.pending.clear()
        return taken

    def _was_blank(self) -> bool:
        was, self.blank = self.blank, False
        return was

    def _look(self, upto: int) -> None:
        """Find the comments before ``upto``."""
        self.begins = "\n" in self.text[self.at : upto]
        if upto <= self.at:
            return
        same_line = self.at > 0
        ends = 0  # line feeds since something stood there
        while self.at < upto:
            sign = self.text.find("#", self.at, upto)
            ends += self.text.count("\n", self.at, upto if sign < 0 else sign)
            if sign < 0:
                self.at = upto
                break
            end = self.text.find("\n", sign)
            end = len(self.text) if end < 0 else end
            self._comment(sign, self.text[sign:end].rstrip(), ends, same_line)
            same_line, ends, self.at = False, 0, end
        self.blank = self.blank or ends > 1

    def _comment(self, at: int, text: str, ends: int, same_line: bool) -> None:
        self.signs += text.count("#")
        if same_line and not ends and self.last is not None:
            self.last.notes.append(text)
            return
        column = at - (self.text.rfind("\n", 0, at) + 1)
        self.pending.append(_Pending(column, Comment(text, self.blank or ends > 1)))
        self.blank = False


def _waits(holder: Collection) -> bool:
    """Whether the last key of a mapping has no value yet."""
    return bool(holder.pieces) and holder.pieces[-1].value is None

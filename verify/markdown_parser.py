"""The Markdown parser: markdown-it-py, set up so that it drops no content, can count lines, and stays linear.

It reads CommonMark with tables and task boxes. Links, images, autolinks and reference definitions are off: nothing
here asks for a link's target, and their rules look ahead once for every bracket. What is changed beyond that:

* a list or quote deeper than the parser's nesting limit is ordinary text (the library would skip the rest of the
  document);
* a line is taken up lazily by at most as many block quotes as may be nested (else ``> ```` before an unquoted line,
  repeated, makes every quote scan the rest of the document);
* once tables have been padded with more cells than the document has characters, further tables are ordinary text;
* an HTML comment ends at the first ``-->`` after it (the library's pattern scans on to the end of the paragraph);
* code spans and paragraphs say how many line breaks they lost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

    BlockRule = Callable[[StateBlock, int, int, bool], bool]
    InlineRule = Callable[[StateInline, bool], bool]

BREAKS: Final = "breaks"
"""``meta`` key of an inline code token: line breaks inside it."""
SKIPPED: Final = "skipped"
"""``meta`` key of an inline token: leading lines of its block that hold no visible character."""

_LAZY: Final = "lazy"
_PADDED: Final = "padded"
_LIST_DEPTH: Final = 2  # a list and its item
_QUOTE_DEPTH: Final = 1
_COMMENT: Final = "<!--"
_COMMENT_END: Final = "-->"
_EMPTY_COMMENTS: Final = ("<!-->", "<!--->")
_VERBATIM: Final = ("script", "pre", "style", "textarea")
_ENDS: Final = (("<!--", "-->"), ("<?", "?>"), ("<![cdata[", "]]>"), ("<!", ">"))


@cache
def shared_parser() -> MarkdownIt:
    """The parser. It serves any number of documents; give each ``parse`` call an ``env`` of its own."""
    from markdown_it import MarkdownIt
    from markdown_it import rules_block as block
    from markdown_it.rules_inline import backtick

    parser = MarkdownIt("commonmark", {"tasklists": True}).enable("table")
    parser.disable(["link", "image", "autolink", "reference"])
    container_ends = ["paragraph", "reference", "blockquote"]
    blocks = parser.block.ruler
    blocks.at("list", _bounded(block.list_block, _LIST_DEPTH), {"alt": container_ends})
    blocks.at("blockquote", _bounded(block.blockquote, _QUOTE_DEPTH), {"alt": [*container_ends, "list"]})
    blocks.at("table", _rationed(block.table), {"alt": ["paragraph", "reference"]})
    blocks.at("paragraph", _counting_lines(block.paragraph))
    blocks.at("lheading", _counting_lines(block.lheading))
    blocks.push("lazy_limit", _end_of_laziness, {"alt": ["blockquote"]})
    parser.inline.ruler.at("backticks", _counting_breaks(backtick))
    parser.inline.ruler.before("html_inline", "comment", _comment)
    return parser


def missing_end(html: str) -> str | None:
    """What would end a raw HTML block that goes on over blank lines and whose end is missing; else null.

    These are CommonMark's kinds 1 to 5; any other one ends at a blank line. The first kind ends with any of its tags.
    """
    text = html.lstrip().lower()
    for tag in _VERBATIM:
        if text.startswith(f"<{tag}") and not text[len(tag) + 1 : len(tag) + 2].isalnum():
            return None if any(f"</{end}>" in text for end in _VERBATIM) else f"</{tag}>"
    end = next((end for start, end in _ENDS if text.startswith(start)), None)
    return None if end is None or end in text else end


def _bounded(rule: BlockRule, depth: int) -> BlockRule:
    """``rule``, refused where its content would lie beyond the nesting limit."""

    def bounded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level + depth < state.md.options.maxNesting and rule(state, start, end, silent)

    return bounded


def _end_of_laziness(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Ends a block quote before an unquoted line that as many quotes as may be nested have taken up already."""
    if not silent or state.parentType != "blockquote":
        return False
    taken: dict[int, int] = state.env.setdefault(_LAZY, {})
    taken[line] = taken.get(line, 0) + 1
    return taken[line] > state.md.options.maxNesting


def _rationed(rule: BlockRule) -> BlockRule:
    """The table rule, refused once earlier tables of the document made more tokens than the document has characters.

    A table pads short rows to the width of its header, so a few hundred bytes can become tens of thousands of
    cells; a cell that is really written costs a character and makes three tokens.
    """
    tokens_per_cell = 3

    def rationed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        spent: int = state.env.get(_PADDED, 0)
        if spent > tokens_per_cell * len(state.src):
            return False
        before = len(state.tokens)
        found = rule(state, start, end, silent)
        state.env[_PADDED] = spent + len(state.tokens) - before
        return found

    return rationed


def _counting_lines(rule: BlockRule) -> BlockRule:
    """``rule`` for running text; its inline token says how many leading lines trimming took away."""
    from markdown_it.common.utils import mdTrim

    def counting(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if not rule(state, start, end, silent):
            return False
        inline = state.tokens[-2]
        first, last = inline.map or (start, start)
        if inline.content.count("\n") + 1 < last - first:
            skipped = 0
            while first + skipped < last and not mdTrim(_line(state, first + skipped)):
                skipped += 1
            inline.meta[SKIPPED] = skipped
        return True

    return counting


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _counting_breaks(rule: InlineRule) -> InlineRule:
    """The code span rule; its token says how many line breaks the span holds (its content has spaces for them)."""

    def counting(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and len(state.tokens) > before and state.tokens[-1].type == "code_inline":
            state.tokens[-1].meta[BREAKS] = state.src.count("\n", start, state.pos)
        return found

    return counting


def _comment(state: StateInline, silent: bool) -> bool:
    """An HTML comment inside running text, as one ``html_inline`` token."""
    if not state.src.startswith(_COMMENT, state.pos):
        return False
    empty = next((form for form in _EMPTY_COMMENTS if state.src.startswith(form, state.pos)), None)
    if empty is not None:
        end = state.pos + len(empty)
    else:
        body = state.pos + len(_COMMENT)
        if state.html_terminator_last(_COMMENT_END) < body:
            return False
        end = state.src.find(_COMMENT_END, body) + len(_COMMENT_END)
    if not silent:
        state.push("html_inline", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True

"""Markdown as blocks: what is prose and what is code, on which line, whatever the text."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verify.markdown import Block, BlockKind, parse_markdown, split_lines

MARKDOWN = st.text(st.sampled_from(list("ab1 \t\n\n\r`~*_#>-+|[]()<!/=\\:.&;xя漢\x00\x0b\u2028")), max_size=200)


def kinds(text: str) -> list[tuple[BlockKind, int, int]]:
    return [(block.kind, block.line, block.end) for block in parse_markdown(text)]


def only(text: str, kind: BlockKind) -> Block:
    (block,) = (block for block in parse_markdown(text) if block.kind is kind)
    return block


def test_every_kind_of_block_knows_its_lines() -> None:
    text = "# One\n\ntext\ngoes on\n\n- item\n\n| a |\n| - |\n| b |\n\n```sh\nx\n```\n\n    code\n\n<!-- note -->\n"
    assert kinds(text) == [
        (BlockKind.HEADING, 1, 1),
        (BlockKind.PARAGRAPH, 3, 4),
        (BlockKind.ITEM, 6, 6),
        (BlockKind.ROW, 8, 8),
        (BlockKind.ROW, 10, 10),
        (BlockKind.FENCE, 12, 14),
        (BlockKind.CODE, 16, 16),
        (BlockKind.HTML, 18, 18),
    ]


def test_code_and_html_are_no_part_of_the_prose_and_leave_words_apart() -> None:
    block = only("see `src/a.py` and <b>AC-1</b><!-- AC-2 --><br>end", BlockKind.PARAGRAPH)
    assert block.text.split() == ["see", "and", "AC-1", "end"]
    assert [span.text for span in block.spans] == ["src/a.py"]


def test_a_comment_never_joins_the_text_around_it_to_a_word() -> None:
    assert only("AC-1<!-- -->0", BlockKind.PARAGRAPH).text == "AC-1 0"


def test_emphasis_marks_are_dropped_and_bold_is_known() -> None:
    block = only("**AC-1:** *text* and **more**", BlockKind.PARAGRAPH)
    assert block.text == "AC-1: text and more"
    assert block.strong_lead
    assert [block.text[start:end] for start, end in block.strong] == ["AC-1:", "more"]


def test_bold_further_in_is_no_bold_lead() -> None:
    assert not only("see **AC-1**", BlockKind.PARAGRAPH).strong_lead


@pytest.mark.parametrize("breaking", ["\n", "  \n", "\\\n", "\r\n"])
def test_code_spans_know_their_line_after_any_kind_of_line_break(breaking: str) -> None:
    text = f"one{breaking}two `a\nb`{breaking}<i\ntitle='x'>four `c`"
    spans = only(text, BlockKind.PARAGRAPH).spans
    assert [(span.text, span.line) for span in spans] == [("a b", 2), ("c", 5)]


def test_each_line_of_prose_comes_with_what_is_bold_and_what_is_code_on_it() -> None:
    block = only("a **b\nc** `d`\ne", BlockKind.PARAGRAPH)
    lines = list(block.prose_lines())
    assert [line.number for line in lines] == [1, 2, 3]
    assert [line.text.rstrip() for line in lines] == ["a b", "c", "e"]
    assert [line.strong for line in lines] == [((2, 3),), ((0, 1),), ()]
    assert [[span.offset for span in line.spans] for line in lines] == [[], [2], []]
    assert lines[0].is_bold(2)
    assert not lines[0].is_bold(0)


def test_a_tilde_fence_may_hold_backticks_and_a_longer_fence_shorter_ones() -> None:
    tilde, longer = parse_markdown("~~~\n```\n~~~\n\n````md\n```\n- AC-9\n```\n````\n")
    assert (tilde.text, tilde.marker, tilde.closed) == ("```\n", "~~~", True)
    assert (longer.text, longer.info, longer.end, longer.closed) == ("```\n- AC-9\n```\n", "md", 9, True)


def test_a_fence_in_a_list_item_ends_at_its_indented_marker() -> None:
    text = "- item\n\n  ```sh\n  run\n  ```\n- next\n"
    fence = only(text, BlockKind.FENCE)
    assert (fence.line, fence.end, fence.text, fence.closed, fence.item_line) == (3, 5, "run\n", True, 1)
    assert kinds(text)[-1] == (BlockKind.ITEM, 6, 6)


@pytest.mark.parametrize(
    "text",
    ["```\ncode", "```\ncode\n", "```", "```\n", "~~~\n```\n", "````\n```\n", "- ```\n  a\n\nout\n", "> ```\n> a\n"],
)
def test_a_fence_without_its_end_is_not_closed(text: str) -> None:
    assert not only(text, BlockKind.FENCE).closed


@pytest.mark.parametrize(
    "text", ["```\n```", "```\n\n```\n", "> ```\n> a\n> ```\n", "- ```\n  ```\n", "```\na\n   ```  \n"]
)
def test_a_fence_with_its_end_is_closed(text: str) -> None:
    assert only(text, BlockKind.FENCE).closed


def test_a_comment_is_html_over_all_its_lines_and_may_be_left_open() -> None:
    closed, after = parse_markdown("<!-- a\n\n- AC-1\n-->\n- AC-2\n")
    assert (closed.kind, closed.end, closed.closed) == (BlockKind.HTML, 4, True)
    assert after.text == "AC-2"
    (left_open,) = parse_markdown("<!-- a\n\n- AC-1\n")
    assert (left_open.kind, left_open.closed) == (BlockKind.HTML, False)


def test_raw_html_that_is_left_open_names_its_missing_end() -> None:
    (left_open,) = parse_markdown("<pre>\n\n- AC-1\n")
    assert (left_open.kind, left_open.closed, left_open.marker) == (BlockKind.HTML, False, "</pre>")
    closed, after = parse_markdown("<pre>\n\n- AC-1\n</pre>\n- AC-2\n")
    assert (closed.closed, closed.marker, after.text) == (True, "", "AC-2")


def test_a_forced_line_break_is_a_break_of_its_own() -> None:
    assert only("a<br>b<BR/>c", BlockKind.PARAGRAPH).text == "a\u2028b\u2028c"


def test_a_comment_inside_a_sentence_ends_at_its_first_closing_marker() -> None:
    block = only("a <!-- x -- `b` --> c --> d <!---> e", BlockKind.PARAGRAPH)
    assert block.text.split() == ["a", "c", "-->", "d", "e"]
    assert block.spans == ()


def test_items_know_depth_marker_and_box_and_the_item_around_them() -> None:
    text = "- [x] done\n  1. one\n\n     more\n     - deep\n* [ ] open\n+ plain\n2) two\n"
    found = [(b.text, b.level, b.marker, b.checkbox, b.item_line) for b in parse_markdown(text)]
    assert found == [
        ("done", 1, "-", True, None),
        ("one", 2, "1.", None, 1),
        ("more", 0, "", None, 2),
        ("deep", 3, "-", None, 2),
        ("open", 1, "*", False, None),
        ("plain", 1, "+", None, None),
        ("two", 1, "2)", None, None),
    ]


def test_a_heading_that_opens_an_item_stays_a_heading_inside_it() -> None:
    heading, item = parse_markdown("- #### Status\n  - met\n")
    assert (heading.kind, heading.level, heading.item_line) == (BlockKind.HEADING, 4, 1)
    assert (item.text, item.level, item.item_line) == ("met", 2, 1)


def test_a_table_inside_a_list_has_rows_with_cells() -> None:
    _, header, row = parse_markdown("- item\n\n  | a | b |\n  | --- | --- |\n  | **AC-1** | `x \\| y` z |\n")
    assert header.header
    assert not row.header
    assert (row.line, row.item_line) == (5, 1)
    assert [cell.text.strip() for cell in row.cells] == ["AC-1", "z"]
    assert row.cells[0].strong == ((0, 4),)
    assert [span.text for span in row.cells[1].spans] == ["x | y"]


def test_block_quotes_are_marked_and_may_hold_anything() -> None:
    text = "> # H\n> text\nlazy\n>\n> - item\n\nout\n"
    assert [(b.kind, b.text, b.quoted) for b in parse_markdown(text)] == [
        (BlockKind.HEADING, "H", True),
        (BlockKind.PARAGRAPH, "text\nlazy", True),
        (BlockKind.ITEM, "item", True),
        (BlockKind.PARAGRAPH, "out", False),
    ]


def test_an_underlined_heading_covers_its_underline() -> None:
    assert kinds("One\ntwo\n===\ntext\n") == [(BlockKind.HEADING, 1, 3), (BlockKind.PARAGRAPH, 4, 4)]


def test_links_stay_text() -> None:
    assert only("- [AC-1](#ac-1) [x]: y", BlockKind.ITEM).text == "[AC-1](#ac-1) [x]: y"


def test_cyrillic_and_chinese_are_ordinary_letters() -> None:
    block = only("**Критерий** `проверка` 验收标准\n继续 `命令`", BlockKind.PARAGRAPH)
    assert block.text.split() == ["Критерий", "验收标准", "继续"]
    assert [(span.text, span.line) for span in block.spans] == [("проверка", 1), ("命令", 2)]


def test_a_first_line_without_visible_characters_does_not_shift_the_lines() -> None:
    (block,) = parse_markdown("\x0b\nAC-1 `x`\n")
    assert (block.line, block.text.strip(), block.spans[0].line) == (2, "AC-1", 2)


def test_a_line_break_spelled_as_an_entity_is_none() -> None:
    assert only("a&#10;b", BlockKind.PARAGRAPH).text == "a b"


def test_content_beyond_the_nesting_limit_stays_visible_and_so_does_what_follows() -> None:
    text = "- " * 60 + "AC-1: deep\n" + "> " * 60 + "AC-2: quoted\n\n# Next\n\n- AC-3: shallow\n"
    blocks = parse_markdown(text)
    assert "AC-1: deep" in blocks[0].text
    assert any("AC-2: quoted" in block.text for block in blocks)
    assert [block.text for block in blocks[-2:]] == ["Next", "AC-3: shallow"]


def calls_to_parse(text: str) -> int:
    """How many functions are called to parse and read ``text``: the work done, on any machine."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event.endswith("call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for block in parse_markdown(text):
            list(block.prose_lines())
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "hostile",
    [
        lambda size: "> ```\na\n" * size,
        lambda size: "> <!--\na\n" * size,
        lambda size: "> - ```\na\n" * size,
        lambda size: "a <!--" * size,
        lambda size: "[" * size,
        lambda size: "*a _b **c " * size,
        lambda size: "*_" * size,
        lambda size: "`" * size + " " + "` `` ``` " * size,
        lambda size: ">" * size,
        lambda size: "- " * size + "x",
        lambda size: "- " * 12 + "x\n" * size,
        lambda size: "".join(" " * (2 * (line % 30)) + "- x\n" for line in range(size)),
        lambda size: "**a\n" * size + "a**\n" * size,
        lambda size: "**a** `b`\n" * size,
        lambda size: "line\n" * size,
        lambda size: "- a\n\n" * size,
        lambda size: "<a x='" * size + ">",
        lambda size: "| a |\n" * size,
        lambda size: "| a |\n| - |\n" + "| b |\n" * size,
        lambda size: "- <!--\na\n" * size,
    ],
)
def test_twice_the_document_is_twice_the_work(hostile: Callable[[int], str]) -> None:
    assert calls_to_parse(hostile(240)) < 2.6 * calls_to_parse(hostile(120)) + 300


def test_tables_can_not_be_padded_without_end() -> None:
    padded = "|a" * 60 + "|\n" + "|-" * 60 + "|\n" + "|c\n" * 60 + "\n"
    cells = sum(len(block.cells) for block in parse_markdown(padded * 30))
    assert cells < 3 * len(padded * 30)


def test_a_run_of_comments_that_look_unfinished_is_read_in_one_go() -> None:
    """The library's own pattern scans the rest of the paragraph for each of them: hours for this one."""
    (block,) = parse_markdown("a" + "<!--b--->" * 20_000)
    assert block.text.split() == ["a"]


@given(MARKDOWN)
@example("`a\nb` c\n\n> d\n>\n- [ ] e")
@example("\x0b\n\x0b\na")
@example("- \x0b\n  a")
def test_any_text_is_a_document_whose_blocks_lie_in_it(text: str) -> None:
    lines = len(split_lines(text))
    for block in parse_markdown(text):
        assert 1 <= block.line <= block.end <= lines
        assert all(block.line <= span.line <= block.end for span in block.spans)
        assert block.item_line is None or 1 <= block.item_line <= block.line
        prose = list(block.prose_lines())
        assert all(block.line <= line.number <= block.end for line in prose)
        assert "\n".join(line.text for line in prose) in {block.text, ""}
        assert sum(len(line.spans) for line in prose) in {0, len(block.spans)}


@given(st.lists(st.sampled_from(["", "- ", "  ", "> ", "1. ", "    ", "```", "# ", "| ", "\t"]), max_size=12))
def test_a_word_is_on_the_line_that_the_blocks_say(prefixes: list[str]) -> None:
    text = "".join(f"{prefix}word{number}\n" for number, prefix in enumerate(prefixes, 1))
    for block in parse_markdown(text):
        for line in block.prose_lines():
            for word in line.text.split():
                assert word == f"word{line.number}" or not word.startswith("word")


@given(st.text(max_size=100))
def test_lines_are_split_where_commonmark_ends_them_and_nowhere_else(text: str) -> None:
    lines = split_lines(text)
    assert all("\n" not in line and "\r" not in line for line in lines)
    assert "".join(lines) == text.replace("\r", "").replace("\n", "")

"""Tables: their columns by header, their rows, and the text of a cell as a reader sees it."""

from __future__ import annotations

import pytest

from verify.documents.tables import cell_text, tables_in
from verify.markdown import parse_markdown

TWO = "| **A** one | `B` |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n| C |\n| --- |\n| 5 |\n"


def test_each_table_has_its_columns_and_rows() -> None:
    tables = tables_in(parse_markdown(TWO))
    assert [(table.line, table.columns, [row.line for row in table.rows]) for table in tables] == [
        (1, ("a one", "b"), [3, 4]),
        (6, ("c",), [8]),
    ]


def test_text_between_is_no_row_of_a_table() -> None:
    (first, second) = tables_in(parse_markdown("| A |\n| - |\n| 1 |\n\ntext\n\n| B |\n| - |\n"))
    assert (len(first.rows), second.rows) == (1, ())


@pytest.mark.parametrize("text", ["", "no table\n", "```\n| A |\n| - |\n```\n", "| A |\n\n| - |\n"])
def test_what_is_no_table_is_none(text: str) -> None:
    assert tables_in(parse_markdown(text)) == ()


@pytest.mark.parametrize(
    ("names", "place"), [({"risk"}, 1), ({"mitigation plan"}, 2), ({"plan", "id"}, 0), ({"ris"}, None), (set(), None)]
)
def test_a_column_is_found_by_a_whole_word_of_its_header(names: set[str], place: int | None) -> None:
    (table,) = tables_in(parse_markdown("| Id | The Risk | Mitigation: plan |\n| - | - | - |\n"))
    assert table.column(names) == place


def test_a_cell_shows_its_code_and_no_line_break() -> None:
    (table,) = tables_in(parse_markdown("| A |\n| - |\n| run `a.py` **now**<br>then <i>go</i> |\n"))
    assert cell_text(table.rows[0].cells[0]) == "run a.py now then go"

"""Blocks from the cache are the blocks that parsing gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify import parsed
from verify.markdown import parse_markdown

MARKDOWN = st.text(alphabet=st.sampled_from("a1 `*_-+#>|\n\t[x]<!->~:é"), max_size=200)


@given(MARKDOWN)
def test_a_document_read_from_the_cache_is_the_document_as_parsed(text: str) -> None:
    fresh = parse_markdown(text)
    assert parsed.blocks_of(text) == fresh
    assert parsed.blocks_of(text) == fresh


def test_a_known_document_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "- **AC-1** once. Verify: `make`\n\n| a | b |\n| - | - |\n| **x** | `y` |\n"
    first = parsed.blocks_of(text)
    calls: list[str] = []
    monkeypatch.setattr(parsed, "parse_markdown", lambda given: calls.append(given) or ())
    assert parsed.blocks_of(text) == first
    assert calls == []


def test_other_parsing_code_makes_another_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "a paragraph\n"
    parsed.blocks_of(text)
    calls: list[str] = []
    monkeypatch.setattr(parsed, "parse_markdown", lambda given: calls.append(given) or ())
    monkeypatch.setattr(parsed, "_parser_stamp", lambda: b"another version")
    parsed.blocks_of(text)
    assert calls == [text]


def test_where_the_parser_has_no_file_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "_parser_stamp", lambda: None)
    monkeypatch.setattr(parsed, "Cache", None)
    assert parsed.blocks_of("# a\n") == parse_markdown("# a\n")

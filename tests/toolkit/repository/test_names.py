"""Names of files: kept to the byte, and shown as Git shows them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository_support import Repository

from toolkit.repository.names import decoded, encoded, quoted


@given(st.binary())
def test_no_byte_of_a_name_is_lost(name: bytes) -> None:
    assert encoded(decoded(name)) == name


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_name_that_is_text_is_shown_as_itself_unless_it_begins_like_a_quoted_one(name: str) -> None:
    assert (quoted(name) == name) is not name.startswith('"')


@given(st.binary(), st.binary())
def test_two_names_never_look_the_same(one: bytes, other: bytes) -> None:
    assert (quoted(decoded(one)) == quoted(decoded(other))) is (one == other)


@pytest.mark.parametrize("name", [b"\xff", b'"a', b"\xe9t\xc3\xa9 \\\t\n\r\x07\x08\x0b\x0c\x01\x7f'\""])
def test_quoting_is_gits_own(name: bytes, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("odd", {os.fsdecode(name): "x"})
    assert repository.git("ls-tree", "--name-only", "HEAD") == quoted(decoded(name))

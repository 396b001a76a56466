"""References to a place in a file."""

from __future__ import annotations

import pytest

from verify.references import Reference, split_reference


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.md", Reference("a.md")),
        ("a.md:3", Reference("a.md", 3, 3)),
        ("a.md:3-5", Reference("a.md", 3, 5)),
        ("a.md:3:17", Reference("a.md", 3, 3)),
        ("a.md:5-3", Reference("a.md", 5, 5)),
        ("a.md:0", Reference("a.md", 0, 0)),
        ("a b:c.md:3", Reference("a b:c.md", 3, 3)),
        ("a\nb.md:3", Reference("a\nb.md", 3, 3)),
        ("a.md:L3", Reference("a.md:L3")),
        ("a.md:٣", Reference("a.md:٣")),
        (":3", Reference(":3")),
        ("a.md:9999999999", Reference("a.md:9999999999")),
        ("", Reference("")),
    ],
)
def test_a_reference_has_a_path_and_perhaps_lines(text: str, parts: Reference) -> None:
    assert split_reference(text) == parts


@pytest.mark.parametrize("text", ["a.md:3", "./a.md:3", "b/../a.md:03", ".//a.md:3-3", "a.md:3:9"])
def test_one_place_has_one_spelling(text: str) -> None:
    assert split_reference(text).normalised() == "a.md:3"


def test_a_place_without_a_line_is_a_path() -> None:
    assert split_reference("./a.md:0").normalised() == "a.md"
    assert split_reference("./a.md:3-5").normalised() == "a.md:3-5"

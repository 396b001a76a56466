from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from toolkit.reporting import json_output
from toolkit.reporting.report import Report


def test_the_json_of_a_report_is_its_document(golden: Any, rich: Report) -> None:
    golden("rich.json", json_output.render(rich))
    assert json.loads(json_output.render(rich)) == rich.document


def test_keys_are_sorted_and_the_document_ends_with_a_newline() -> None:
    assert json_output.dumps({"b": 1, "a": {"d": [], "c": None}}) == (
        '{\n  "a": {\n    "c": null,\n    "d": []\n  },\n  "b": 1\n}\n'
    )


def test_the_order_in_which_keys_were_set_changes_nothing() -> None:
    assert json_output.dumps({"a": 1, "b": 2}) == json_output.dumps({"b": 2, "a": 1})


def test_text_that_shows_is_printed_as_it_is() -> None:
    assert '"ä 日本 🌈 \xa0"' in json_output.dumps({"x": "ä 日本 🌈 \xa0"})


@pytest.mark.parametrize("text", ["\x9b31m", "\x7f", "\u202e", "\u2028", "\ufeff", "\U000e0041", "\x1b[2J\n\t"])
def test_what_does_not_show_is_escaped_and_reads_back_the_same(text: str) -> None:
    printed = json_output.dumps({"x": text})

    assert all(line.isprintable() for line in printed.split("\n"))
    assert json.loads(printed) == {"x": text}


@pytest.mark.parametrize(
    ("text", "read"), [("\ud800", "\\ud800"), ("a\udcffb", "a\\udcffb"), ("\\\udc80", "\\\\udc80")]
)
def test_a_lone_surrogate_becomes_text_that_every_reader_accepts(text: str, read: str) -> None:
    printed = json_output.dumps({text: text})

    assert printed.encode("utf-8")
    assert json.loads(printed) == {read: read}


def test_immutable_forms_are_objects_and_arrays() -> None:
    document = MappingProxyType({"rows": (1, MappingProxyType({"b": 1, "a": 2}))})

    assert json.loads(json_output.dumps(document)) == {"rows": [1, {"a": 2, "b": 1}]}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_lacks_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_output.dumps({"x": value})


def test_a_value_that_json_lacks_is_refused() -> None:
    with pytest.raises(TypeError, match="set is no JSON value"):
        json_output.dumps({"x": {1}})


def test_a_line_keeps_its_keys_in_order_and_holds_no_break_and_no_control() -> None:
    record = {"z": "a\u2028b\x85c\x9bd\x7f\x1b[2J", "a": "\ud800"}
    text = json_output.line(record)
    assert text.splitlines() == [text]
    assert text.isprintable()
    assert list(json.loads(text)) == ["z", "a"]
    assert json.loads(text)["z"] == record["z"]

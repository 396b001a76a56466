"""Plain scalars: JSON's spellings have a type, whatever a YAML reader might type otherwise is refused."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolkit.policy.syntax.scalars import MAX_INTEGER, AmbiguousScalar, is_unicode, resolve_plain

# The core schema of YAML 1.2.2 (10.3.2), and what some readers take beyond the schemas.
CORE_SCHEMA = {
    "null": r"null|Null|NULL|~|",
    "boolean": r"true|True|TRUE|false|False|FALSE",
    "decimal": r"[-+]?[0-9]+",
    "octal": r"0o[0-7]+",
    "hexadecimal": r"0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
    "infinity": r"[-+]?(\.inf|\.Inf|\.INF)",
    "not a number": r"\.nan|\.NaN|\.NAN",
}
OTHER_READERS = {
    "YAML 1.1 booleans": r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF",
    "YAML 1.1 binary": r"[-+]?0b[01_]+",
    "YAML 1.1 base 60": r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?",
    "YAML 1.1 separators": r"[-+]?[1-9][0-9_]*",
    "prefixes of Go and Ruby": r"[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)",
    "Ruby's commas": r"[1-9][0-9]{0,2}(,[0-9]{3})+",
    "dates": r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
    "times": r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?(Z|[-+][0-9]{1,2})?",
}
JSON_SPELLING = re.compile(r"true|false|null|-?(0|[1-9][0-9]*)")


def outcome(text: str) -> object:
    """The value of a plain scalar, or the class of its refusal."""
    try:
        return resolve_plain(text)
    except AmbiguousScalar:
        return AmbiguousScalar


def held(text: str) -> None:
    """A scalar that some reader types is JSON's own value or refused; never text, never another value."""
    if JSON_SPELLING.fullmatch(text) and text != "-0":
        value = json.loads(text)
        expected = value if not isinstance(value, int) or abs(value) <= MAX_INTEGER else AmbiguousScalar
        assert outcome(text) == expected
        assert type(outcome(text)) is type(expected)
    else:
        assert outcome(text) is AmbiguousScalar, text


@pytest.mark.parametrize("text", ["true", "false", "null", "0", "7", "-1", str(MAX_INTEGER), str(-MAX_INTEGER)])
def test_json_spellings_have_their_values(text: str) -> None:
    assert outcome(text) == json.loads(text)
    assert type(outcome(text)) is type(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        *("no", "NO", "No", "yes", "on", "Off", "Y", "N", "True", "FALSE", "Null", "~", ""),
        *("0400", "08", "0o14", "0x1F", "0b11", "-0", "+1", "1_000", "1,000"),
        *("1.0", "1.", ".5", "1e3", "1E3", "-1.5e+3", ".nan", ".NaN", ".inf", "-.inf", "+.INF"),
        *("1:30", "12:30", "22:22", "190:20:30", "1:30.5", "2024-01-01", "2024-1-1", "2024-01-01 10:00:00"),
        *("2024-01-01T10:00:00Z", "9007199254740992", "-9007199254740992", "=", "<<"),
    ],
)
def test_what_readers_type_differently_is_refused(text: str) -> None:
    assert outcome(text) is AmbiguousScalar


@pytest.mark.parametrize(
    "text",
    [
        *("y", "n", "1.0.0", "v1", "nope", "a.b", "-", "--", "+", ".", "..", "./x", "-x", "nan", "inf", "Infinity"),
        *("1a", "0xg", "1:2:x", "12:30 today", "2024-01", "2024-01-011", "1-2", "e3", "1e", "да", "٣", "½", "a=b", "<"),
        "Self-verification, rule 5: three terms",
    ],
)
def test_all_the_rest_is_text(text: str) -> None:
    assert outcome(text) == text


def test_an_integer_of_a_million_digits_is_refused_as_out_of_range() -> None:
    with pytest.raises(AmbiguousScalar, match=r"beyond ±\(2\^53 - 1\)"):
        resolve_plain("9" * 1_000_000)


@given(st.from_regex("|".join(f"({pattern})" for pattern in CORE_SCHEMA.values()), fullmatch=True))
def test_what_the_core_schema_types_is_json_or_refused(text: str) -> None:
    held(text)


@given(st.from_regex("|".join(f"({pattern})" for pattern in OTHER_READERS.values()), fullmatch=True))
def test_what_other_readers_type_is_json_or_refused(text: str) -> None:
    held(text)


NEAR_TYPED = st.text(alphabet="0123456789+-._:,eEoxObBTtzZ nyfalsruNOinINF~=<", max_size=12)


@given(NEAR_TYPED | st.text(max_size=20))
@example("=")
@example("<<")
@example("1:60")
def test_what_pyyaml_types_is_json_or_refused(text: str) -> None:
    resolver = yaml.SafeLoader("")
    tag = resolver.resolve(yaml.ScalarNode, text, (True, False))
    if tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:yaml"):  # the latter begin no plain scalar: ! & *
        held(text)


@given(st.text(alphabet="0123456789_:.,eE+-", min_size=1, max_size=3).map(lambda unit: unit * 100_000))
@settings(max_examples=50)
def test_a_long_scalar_is_settled_at_once(text: str) -> None:
    assert outcome(text) in (text, AmbiguousScalar)


def test_unicode_is_everything_but_lone_surrogates() -> None:
    assert is_unicode("")
    assert is_unicode("да \U0001f600")
    assert not is_unicode("\ud800")
    assert not is_unicode("a\udfffb")

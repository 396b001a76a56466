"""Secrets don't reach anything that is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from verify.findings import Evidence, Finding, Malformed
from verify.redaction import Redactor
from verify.terms import DISPATCH, FILE_QUOTE, TEST_OUTPUT

SECRET = "hunter2Zx"
FRAGMENTS = (
    *("password", "api_key", "token", "AWS_SECRET_ACCESS_KEY", "max_tokens", "primary key", "Authorization", "Bearer"),
    *(":", "=", ": ", " = ", ":=", "=>", '"', "'", "`", "\\", '\\"', " ", "\n", "\t", ",", ";", "{", "}", "[", "]"),
    *("--token ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "https://u:", "@host", "|", "- "),
    *("ghp_0123456789abcdef", "eyJhbGciOiJIUzI1NiJ9.x.y", "sk-0123456789abcdef01", "AKIA0123456789ABCDEF", "é", "日本"),
    *("<redacted>", "abc", "42", "str", "Basic ", "Digest ", "is", "null", "\ud800", "keyboard", "_PASS="),
)
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


@pytest.fixture(scope="module")
def redactor(policies: PolicySet) -> Redactor:
    return Redactor.from_policy(policies)


@pytest.mark.parametrize(
    "text",
    [
        f"password: {SECRET}",
        f"Password={SECRET}",
        f"secret_value = {SECRET}",
        f"CREDENTIALS:{SECRET}",
        f"export AWS_SECRET_ACCESS_KEY={SECRET}",
        f"api-key: {SECRET}",
        f"apikey={SECRET}&next=1",
        f"DB_PASS={SECRET}",
        f'{{"api_key": "abc {SECRET}", "x": 1}}',
        f'{{\\"api_key\\": \\"abc {SECRET}\\"}}',
        f"'token': 'abc {SECRET}'",
        f'password = "with \\"quotes\\" {SECRET}"',
        f'password = "the end is missing {SECRET}',
        f"password => '{SECRET}'",
        f'token: str = "{SECRET}"',
        f"password: |\n  {SECRET}",
        f"password:\n  {SECRET}",
        f"secrets:\n  - {SECRET}",
        f'"api_keys": ["{SECRET}"]',
        f"key: token: {SECRET}",
        f"DB_PASSWORD=\nAPI_TOKEN = {SECRET}",
        f'DB_PASSWORD=\n"api_token": "abc {SECRET}"',
        f"primary key:\napi_key={SECRET}",
        f"keyboard: api_key={SECRET}",
        f"token: {{{SECRET}}}",
        f"deploy --password {SECRET} --user bob",
        f"deploy --api-key='{SECRET}'",
        f"Authorization: Bearer {SECRET}",
        f"authorization: basic {SECRET}",
        f'-H "Authorization: Digest username=x, response={SECRET}"',
        f"bearer {SECRET}",
        f"token: Bearer {SECRET}",
        f"https://user:{SECRET}@host/path",
        f"-----BEGIN EC PRIVATE KEY-----\nMIIB{SECRET}\n-----END EC PRIVATE KEY-----",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl{SECRET}",
        f"-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\n\\nMIIB{SECRET}==\\n",
        f"ghp_0123456789{SECRET}",
        f"github_pat_0123456789_{SECRET}",
        f"glpat-0123456789{SECRET}",
        f"sk-ant-0123456789-{SECRET}",
        f"xoxb-0123456789-{SECRET}",
        f"npm_0123456789012345678901234567890123{SECRET}",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}",
        "AKIA0123456789" + "ABCDEF",
        "\ud800 password: " + SECRET,
    ],
)
def test_a_secret_is_gone_and_the_marker_stands_in_its_place(redactor: Redactor, text: str) -> None:
    redacted = redactor.text(text)
    assert SECRET not in redacted
    assert "ABCDEF" not in redacted
    assert "<redacted>" in redacted
    redacted.encode()


@pytest.mark.parametrize(
    "text",
    [
        "total_tokens: 4096",
        "max_tokens=100,",
        '"input_tokens": 12, "output_tokens": 3',
        "token_count: 3",
        "cost_consumed_tokens: null",
        "--max-tokens 100",
        "monkey: 3",
        "keyboard: us",
        "the primary key: id",
        "FOREIGN_KEY = user_id",
        "PASS: all expectation items met",
        "Authorization: only administrators may delete",
        "a bearer token is missing",
        "pass the --token flag",
        "phase_gate:prd-measurable",
        "see https://host:8080/path and https://host/a@b",
        "the key points are these",
        '"usage_tokens": {"input": 12}',
        "risk-based-approach-to-testing",
    ],
)
def test_what_is_no_secret_stays(redactor: Redactor, text: str) -> None:
    assert redactor.text(text) == text


def test_a_number_that_is_no_count_is_a_secret(redactor: Redactor) -> None:
    assert redactor.text("token: 123456") == "token: <redacted>"
    assert redactor.text("password=123456") == "password=<redacted>"


def test_what_stands_around_a_quoted_secret_stays(redactor: Redactor) -> None:
    text = '{"api_key": "abc def", "next": "x"}'
    assert json.loads(redactor.text(text)) == {"api_key": "<redacted>", "next": "x"}


def test_a_pem_block_ends_where_it_ends(redactor: Redactor) -> None:
    text = "before\n-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\nafter"
    assert redactor.text(text) == "before\n-----BEGIN PRIVATE KEY-----<redacted>\nafter"


@QUICK
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join) | st.text(max_size=60))
def test_redacting_twice_is_redacting_once(redactor: Redactor, text: str) -> None:
    once = redactor.text(text)
    assert redactor.text(once) == once


@QUICK
@given(
    st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join),
    st.sampled_from(["password: ", "api_key=", "TOKEN = "]),
)
def test_a_secret_after_its_name_never_survives_whatever_stands_before_it(
    redactor: Redactor, before: str, name: str
) -> None:
    assert SECRET not in redactor.text(f"{before}\n{name}{SECRET}")


@pytest.mark.parametrize(
    "unit",
    ["password: a ", '-----BEGIN A-----"', "key", 'key="', "a://b:", "eyJ", "bearer ", "key:\n", "key: a: ", "é="],
)
def test_much_text_is_no_more_than_much_work(redactor: Redactor, unit: str) -> None:
    """Quadratic work on this much text would take minutes and be killed with the test run."""
    redactor.text(unit * (100_000 // len(unit)))


def test_values_are_redacted_at_any_depth_and_keys_stay(redactor: Redactor) -> None:
    value = {
        "api_key": "abc def",
        "list": [{"note": "password: x"}, 3, None, True],
        "tokens": ["one", "two"],
        "max_tokens": "100",
        "keyboard": "us",
        "secret": {"hint": "plain"},
        "count": 7,
    }
    assert redactor.value(value) == {
        "api_key": "<redacted>",
        "list": [{"note": "password: <redacted>"}, 3, None, True],
        "tokens": ["<redacted>", "<redacted>"],
        "max_tokens": "100",
        "keyboard": "us",
        "secret": {"hint": "plain"},
        "count": 7,
    }


def test_a_value_nested_without_end_is_cut_off(redactor: Redactor) -> None:
    value: object = "password: x"
    for _ in range(5000):
        value = [value]
    redacted = json.dumps(redactor.value(value))
    assert "<redacted>" in redacted
    assert "x" not in redacted


def test_what_was_refused_can_be_shown(redactor: Redactor) -> None:
    refused = Malformed("dispatch", {"token": "x", "\ud800": "y"}, ("password: z",), "malformed_evidence")
    shown = redactor.malformed(refused)
    assert shown.record == {"token": "<redacted>", "\\ud800": "y"}
    assert shown.problems == ("password: <redacted>",)


def finding(**changes: object) -> Finding:
    fields: dict[str, object] = {
        "source_layer": DISPATCH,
        "artifact_ref": "src/a.py:12",
        "severity": "high",
        "category": "safety",
        "evidence": Evidence(FILE_QUOTE, "deploy/key:12", "password: x"),
    }
    return Finding(**(fields | changes))  # type: ignore[arg-type]


def test_every_text_of_a_finding_is_redacted(redactor: Redactor) -> None:
    redacted = redactor.finding(
        finding(
            ac_criteria=("AC-1 token=x",),
            suggested_fix="replace password: y",
            check_name="secret: z",
            evidence=Evidence(TEST_OUTPUT, "run --password abc", "api_key=abc"),
        )
    )
    assert redacted.ac_criteria == ("AC-1 token=<redacted>",)
    assert redacted.suggested_fix == "replace password: <redacted>"
    assert redacted.check_name == "secret: <redacted>"
    assert redacted.evidence == Evidence(TEST_OUTPUT, "run --password <redacted>", "api_key=<redacted>")


def test_the_line_of_a_path_that_is_called_key_is_no_secret(redactor: Redactor) -> None:
    redacted = redactor.finding(finding(artifact_ref="deploy/token:7"))
    assert redacted.artifact_ref == "deploy/token:7"
    assert redacted.evidence.source == "deploy/key:12"


def test_an_excerpt_that_the_marker_makes_too_long_is_cut_again(redactor: Redactor) -> None:
    excerpt = " ".join(["key: x"] * 28)
    assert len(excerpt) <= 200
    redacted = redactor.finding(finding(evidence=Evidence(FILE_QUOTE, "a:1", excerpt))).evidence.excerpt
    assert redacted is not None
    assert len(redacted) == 200
    assert redacted.endswith("[truncated]")


def test_a_cut_excerpt_stays_marked_as_cut_when_its_last_word_is_a_secret(redactor: Redactor) -> None:
    excerpt = "x" * 170 + " password: hun" + "[truncated]"
    redacted = redactor.finding(finding(evidence=Evidence(FILE_QUOTE, "a:1", excerpt))).evidence.excerpt
    assert redacted is not None
    assert len(redacted) <= 200
    assert "hun" not in redacted
    assert redacted.endswith("[truncated]")


class Overlaid:
    """A policy set in which a team has spoilt one pattern."""

    def __init__(self, policies: PolicySet) -> None:
        self._policies = policies

    def data(self, document: str) -> object:
        value = self._policies.data(document)
        return value if document != "verify.redaction" else {**value, "patterns": [{"id": "x", "pattern": "(?=a)"}]}


def test_a_pattern_that_is_none_is_an_error_that_names_its_document(policies: PolicySet) -> None:
    with pytest.raises(PolicyError) as caught:
        Redactor.from_policy(Overlaid(policies))  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.place) == ("invalid_pattern", "verify.redaction")

"""Which peer provider reviews: the chain as a pure function, the files and the environment that it is asked with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_shapes
from verify.providers.chain import Configured, CostCapBreach, ProviderError, Request, resolve
from verify.providers.config import read_config
from verify.providers.gathering import Asked, gather, user_directory
from verify.providers.rules import ProviderRules, decimal_of

PROJECT = Configured("datarim/config.yaml:2", "haiku")
USER = Configured("/home/u/config.yaml:2", "opus")
BROKEN = Configured("c.yaml:3", fault=ProviderError("bad_config", "is not YAML", place="c.yaml:3"))


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> ProviderRules:
    return ProviderRules.from_policy(policies)


@pytest.mark.parametrize(
    ("provider", "mode"),
    [
        ("sonnet", "cross_claude_family"),
        ("haiku", "cross_claude_family"),
        ("opus", "same_model_isolated"),
        ("none", "disabled"),
    ],
)
def test_each_provider_has_its_mode(provider: str, mode: str, rules: ProviderRules) -> None:
    assert resolve(Request(flag=provider), rules) == (provider, mode, "cli_flag", ())


@pytest.mark.parametrize("flag", ["groq", "deepseek", "Sonnet", "NONE", "", " sonnet", "sonnet\n", "son\u200bnet"])
def test_a_provider_that_is_not_listed_exactly_so_is_refused(flag: str, rules: ProviderRules) -> None:
    with pytest.raises(ProviderError, match="whitelist: sonnet haiku opus none"):
        resolve(Request(flag=flag), rules)


def test_a_hostile_name_is_shown_harmlessly_and_in_part(rules: ProviderRules) -> None:
    with pytest.raises(ProviderError) as refused:
        resolve(Request(flag="\x1b[2J" + "x" * 5000), rules)
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("request_", "provider", "layer"),
    [
        (Request("sonnet", PROJECT, USER), "sonnet", "cli_flag"),
        (Request(None, PROJECT, USER), "haiku", "per_project_config"),
        (Request(None, Configured("p"), USER), "opus", "per_user_config"),
        (Request(None, None, USER), "opus", "per_user_config"),
        (Request(None, None, None), "sonnet", "fallback_subagent"),
        (Request(None, Configured("p"), Configured("u"), degraded=True), "opus", "fallback_isolated"),
        (Request(None, PROJECT, None, degraded=True), "haiku", "per_project_config"),
    ],
)
def test_the_first_step_that_names_a_provider_decides(
    request_: Request, provider: str, layer: str, rules: ProviderRules
) -> None:
    resolution = resolve(request_, rules)
    assert (resolution.provider, resolution.source_layer) == (provider, layer)


def test_the_degraded_fallback_warns_in_the_words_that_the_log_needs(rules: ProviderRules) -> None:
    warning = "WARN: Codex runtime detected, falling back to same_model_isolated mode"
    assert resolve(Request(degraded=True), rules).warnings == (warning,)


def test_where_project_and_user_differ_both_are_named(rules: ProviderRules) -> None:
    (warning,) = resolve(Request(None, PROJECT, USER), rules).warnings
    assert warning.startswith("WARN: ")
    for said in ("haiku", "opus", PROJECT.place, USER.place):
        assert said in warning


@pytest.mark.parametrize("user", [None, Configured("u"), Configured("u:9", "haiku")])
def test_a_user_who_agrees_or_says_nothing_is_no_warning(user: Configured | None, rules: ProviderRules) -> None:
    assert resolve(Request(None, PROJECT, user), rules).warnings == ()


def test_only_the_provider_that_wins_must_be_listed(rules: ProviderRules) -> None:
    resolution = resolve(Request(None, PROJECT, Configured("u:1", "groq")), rules)
    assert resolution.provider == "haiku"
    assert "groq" in resolution.warnings[0]


def test_a_users_file_that_cannot_be_read_does_not_stop_the_project_and_is_said(rules: ProviderRules) -> None:
    resolution = resolve(Request(None, PROJECT, BROKEN), rules)
    assert resolution.provider == "haiku"
    assert "c.yaml:3" in resolution.warnings[0]


@pytest.mark.parametrize("request_", [Request(None, BROKEN, USER), Request(None, None, BROKEN)])
def test_a_file_that_cannot_be_read_is_never_passed_over(request_: Request, rules: ProviderRules) -> None:
    with pytest.raises(ProviderError, match="not YAML"):
        resolve(request_, rules)


@pytest.mark.parametrize(
    ("estimate", "threshold", "refused"),
    [
        ("0.10", None, False),
        ("0.1000", None, False),
        ("0.11", None, True),
        ("0.100000000000000000001", None, True),
        ("1e-05", None, False),
        ("0", "0", False),
        ("0.02", "0.01", True),
        ("5", "1e3", False),
        ("1e999", None, True),
    ],
)
def test_the_cost_probe_refuses_what_is_strictly_above(
    estimate: str, threshold: str | None, refused: bool, rules: ProviderRules
) -> None:
    request = Request(flag="sonnet", estimate=estimate, threshold=threshold)
    if refused:
        with pytest.raises(CostCapBreach) as breach:
            resolve(request, rules)
        assert breach.value.message == f"cost cap breach: estimated {estimate} > threshold {threshold or '0.10'}"
    else:
        assert resolve(request, rules).provider == "sonnet"


NO_AMOUNTS = [
    "",
    " ",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "-0.01",
    "-0",
    "0x1",
    "1_000",
    "0,10",
    "$0.10",
    "1e",
    ".",
    "١",
    "1 ",
]


@pytest.mark.parametrize("text", NO_AMOUNTS)
def test_what_is_no_amount_is_refused_as_estimate_and_as_threshold(text: str, rules: ProviderRules) -> None:
    for request in (Request("sonnet", estimate=text), Request("sonnet", estimate="0.01", threshold=text)):
        with pytest.raises(ProviderError, match="is no number"):
            resolve(request, rules)


def test_a_threshold_is_not_looked_at_without_an_estimate(rules: ProviderRules) -> None:
    assert resolve(Request("sonnet", threshold="nonsense"), rules).provider == "sonnet"


def test_the_cost_is_asked_before_the_provider(rules: ProviderRules) -> None:
    with pytest.raises(CostCapBreach):
        resolve(Request(flag="groq", estimate="1"), rules)


@given(st.decimals(min_value=0, max_value=1000, places=4))
def test_every_plain_decimal_is_read_exactly(amount: Decimal) -> None:
    assert decimal_of(f"{amount:f}") == amount


def read(tmp_path: Path, text: str | bytes, rules: ProviderRules) -> Configured:
    path = tmp_path / "config.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = read_config(path, "config.yaml", rules.config)
    assert said is not None
    return said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("peer_review:\n  provider: haiku\n", 2),
        ("peer_review:\n  # why\n  provider: haiku  # because\n", 3),
        ("peer_review: {provider: haiku}\n", 1),
        ('{"peer_review": {"provider": "haiku", "fallback_model": null}}', 1),
        ("peer_review:\n  'provider': 'haiku'\n", 2),
        ("peer_review:\n  provider: >-\n    haiku\n", 2),
        ("peer_review:\r\n  provider: haiku\r\n", 2),
        ("\ufeffpeer_review:\n  provider: haiku\n", 2),
        ("%YAML 1.1\n---\npeer_review:\n  provider: !!str haiku\n...\n", 4),
        ("known: &who haiku\npeer_review:\n  provider: *who\n", 1),
        ("since: 2026-01-01\nlevel: 0o17\n? [a, b]\n: !custom {x: 1}\npeer_review:\n  provider: haiku\n", 6),
        ("aal: {peer_review: {provider: opus}}\npeer_review: {provider: haiku}\n", 2),
    ],
)
def test_the_provider_is_found_in_any_style_of_yaml(text: str, line: int, tmp_path: Path, rules: ProviderRules) -> None:
    assert read(tmp_path, text, rules) == (f"config.yaml:{line}", "haiku", None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "---\n",
        "other: 1\n",
        "peer_review:\n",
        "peer_review:\n  # provider: groq\n",
        "peer_review: {}\n",
        "peer_review:\n  provider:\n",
        "peer_review:\n  fallback_model: sonnet\n",
        "other:\n  peer_review: {provider: groq}\n",
        "text: |\n  peer_review:\n    provider: groq\n",
    ],
)
def test_a_file_that_names_none_says_nothing(text: str, tmp_path: Path, rules: ProviderRules) -> None:
    assert read(tmp_path, text, rules) == ("config.yaml", None, None)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("peer_review:\n  provider: no\n", 2, "reads as bool"),
        ("peer_review:\n  provider: off\n", 2, "write none"),
        ("peer_review:\n  provider: ~\n", 2, "reads as null"),
        ("peer_review:\n  provider: null\n", 2, "reads as null"),
        ("peer_review:\n  provider: 1\n", 2, "reads as int"),
        ("peer_review:\n  provider: [haiku]\n", 2, "list"),
        ("peer_review:\n  provider: !x haiku\n", 2, "not as text"),
        ("peer_review: haiku\n", 1, "no mapping"),
        ("- peer_review\n", 1, "no mapping"),
        ("peer_review:\n  provider: haiku\n  provider: opus\n", 3, "twice, first on line 2"),
        ("peer_review: {provider: haiku}\npeer_review: {provider: opus}\n", 2, "twice, first on line 1"),
        ("peer_review: {provider: haiku}\n'peer_review': {provider: opus}\n", 2, "twice"),
        ("a: {b: 1, b: 2}\npeer_review: {provider: haiku}\n", 1, "twice"),
        ("x: &x {provider: opus}\npeer_review:\n  <<: *x\n", 3, "merge key"),
        ("peer_review:\n  provider: [haiku\n", 3, "not YAML"),
        ("peer_review:\n\tprovider: haiku\n", 2, "not YAML"),
        ("a: 1\n---\npeer_review: {provider: haiku}\n", 2, "not YAML"),
        ("a: *nobody\n", 1, "not YAML"),
        ("a: 1\nb: \x07\n", 2, "not YAML"),
        ("a: 1\n# note\u2028peer_review: {provider: opus}\n", 2, "U+2028"),
        (b"a: 1\nb: \xff\n", 2, "not UTF-8"),
        ("a: " + "[" * 40 + "]" * 40, 1, "levels"),
        ("a: [" + "1," * 10_001 + "]", 1, "values"),
        ("a: " + "x" * 70_000, None, "larger than"),
    ],
)
def test_a_file_that_cannot_be_relied_on_is_a_fault_with_its_line(
    text: str | bytes, line: int | None, told: str, tmp_path: Path, rules: ProviderRules
) -> None:
    said = read(tmp_path, text, rules)
    assert said.provider is None
    assert said.fault is not None
    assert told in said.fault.message
    assert said.fault.place == ("config.yaml" if line is None else f"config.yaml:{line}")


def test_nothing_in_a_file_is_built_or_run(tmp_path: Path, rules: ProviderRules) -> None:
    mark = tmp_path / "ran"
    text = f"x: !!python/object/apply:os.mkdir ['{mark}']\npeer_review: {{provider: haiku}}\n"
    assert read(tmp_path, text, rules).provider == "haiku"
    assert not mark.exists()


def test_aliases_are_not_multiplied(tmp_path: Path, rules: ProviderRules) -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 60))
    text = f"a0: &a0 [x]\n{levels}loop: &loop [*loop]\npeer_review: {{provider: haiku}}\n"
    assert read(tmp_path, text, rules).provider == "haiku"


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rules: ProviderRules, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    said = read_config(path, "any.yaml", rules.config)
    assert said is not None
    assert said.provider is None or said.fault is None


def test_a_file_that_is_not_there_is_none(tmp_path: Path, rules: ProviderRules) -> None:
    assert read_config(tmp_path / "config.yaml", "config.yaml", rules.config) is None
    assert read_config(tmp_path / "no" / "config.yaml", "config.yaml", rules.config) is None


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), os.mkfifo, lambda path: path.symlink_to("gone")])
def test_what_is_no_file_is_a_fault_and_blocks_nobody(
    make: Callable[[Path], None], tmp_path: Path, rules: ProviderRules
) -> None:
    make(tmp_path / "config.yaml")
    said = read_config(tmp_path / "config.yaml", "config.yaml", rules.config)
    assert said is not None
    assert said.fault is not None


def workspace(tmp_path: Path, text: str) -> Path:
    (tmp_path / "datarim").mkdir()
    (tmp_path / "datarim" / "config.yaml").write_text(text)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    return tmp_path / "deep" / "er"


def gathered(asked: Asked, rules: ProviderRules, **environment: str) -> Request:
    return gather(asked, environment, rules)


def test_the_projects_file_is_that_of_the_nearest_workspace(tmp_path: Path, rules: ProviderRules) -> None:
    below = workspace(tmp_path, "peer_review: {provider: haiku}\n")
    assert gathered(Asked(below), rules).project == ("datarim/config.yaml:1", "haiku", None)


def test_outside_of_a_workspace_there_is_no_projects_file(tmp_path: Path, rules: ProviderRules) -> None:
    assert gathered(Asked(tmp_path), rules).project is None


def test_a_projects_file_that_leaves_the_workspace_is_not_followed(tmp_path: Path, rules: ProviderRules) -> None:
    (tmp_path / "outside.yaml").write_text("peer_review: {provider: haiku}\n")
    (tmp_path / "w" / "datarim").mkdir(parents=True)
    (tmp_path / "w" / "datarim" / "config.yaml").symlink_to(tmp_path / "outside.yaml")
    project = gathered(Asked(tmp_path / "w"), rules).project
    assert project is not None
    assert project.fault is not None
    assert "leaves the workspace" in project.fault.message


def test_a_users_file_may_be_a_link_as_among_dotfiles(tmp_path: Path, rules: ProviderRules) -> None:
    (tmp_path / "dotfiles.yaml").write_text("peer_review: {provider: opus}\n")
    (tmp_path / ".config" / "datarim").mkdir(parents=True)
    (tmp_path / ".config" / "datarim" / "config.yaml").symlink_to(tmp_path / "dotfiles.yaml")
    user = gathered(Asked(tmp_path), rules, HOME=str(tmp_path)).user
    assert user is not None
    assert user.provider == "opus"


def test_named_files_are_relative_to_where_the_caller_is(tmp_path: Path, rules: ProviderRules) -> None:
    below = workspace(tmp_path, "peer_review: {provider: haiku}\n")
    (below / "mine.yaml").write_text("peer_review: {provider: opus}\n")
    request = gathered(Asked(below, None, "mine.yaml", "../../datarim/config.yaml"), rules)
    assert request.project == ("mine.yaml:1", "opus", None)
    assert request.user == ("../../datarim/config.yaml:1", "haiku", None)


def test_a_named_file_that_is_not_there_says_nothing_and_is_noted(tmp_path: Path, rules: ProviderRules) -> None:
    request = gathered(Asked(tmp_path, None, "no.yaml", "neither.yaml"), rules)
    assert (request.project, request.user) == (None, None)
    assert [note.split(":")[1].strip() for note in request.notes] == [
        "--project-config no.yaml",
        "--user-config neither.yaml",
    ]
    assert resolve(request, rules).provider == "sonnet"


def test_an_empty_name_is_no_file(tmp_path: Path, rules: ProviderRules) -> None:
    with pytest.raises(ProviderError, match="empty"):
        resolve(gathered(Asked(tmp_path, None, ""), rules), rules)


@pytest.mark.parametrize("asked", [{"flag": "opus"}, {"use_config": False}])
def test_files_that_decide_nothing_are_not_opened(
    asked: Mapping[str, object], tmp_path: Path, rules: ProviderRules
) -> None:
    below = workspace(tmp_path, "[")
    request = gather(Asked(below, **asked), {"HOME": str(tmp_path)}, rules)  # type: ignore[arg-type]
    assert (request.project, request.user) == (None, None)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x"),
        ({"XDG_CONFIG_HOME": "", "HOME": "/h"}, "/h/.config"),
        ({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}, "/h/.config"),
        ({"HOME": "/h"}, "/h/.config"),
        ({"XDG_CONFIG_HOME": "/x"}, "/x"),
        ({"HOME": ""}, None),
        ({"HOME": "h"}, None),
        ({}, None),
    ],
)
def test_the_users_directory_follows_the_xdg_rules(environment: dict[str, str], expected: str | None) -> None:
    assert user_directory(environment) == (Path(expected) if expected else None)


@pytest.mark.parametrize(
    ("value", "degraded"), [(None, False), ("", False), ("0", False), ("1", True), ("false", True), (" ", True)]
)
def test_the_runtime_is_degraded_where_its_variable_is_set_and_not_0(
    value: str | None, degraded: bool, tmp_path: Path, rules: ProviderRules
) -> None:
    environment = {} if value is None else {"CODEX_RUNTIME": value}
    assert gather(Asked(tmp_path), environment, rules).degraded is degraded


def test_no_policy_can_add_a_provider_or_change_its_mode(policies: PolicySet) -> None:
    shape = json.loads(shipped_shapes()["verify.providers"])
    value = json.loads(json.dumps(policies.data("verify.providers"), default=dict))
    Draft202012Validator(shape).validate(value)
    for added in ({"provider": "groq", "mode": "disabled"}, {"provider": "opus", "mode": "cross_claude_family"}):
        with pytest.raises(ValidationError):
            Draft202012Validator(shape).validate({**value, "providers": [added]})

"""Prompts: held against their templates, their declarations, and the tools of their roles."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from policy_support import head

from toolkit.authoring.linting.prompts import hold_prompts
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import PolicyError, Problem, Problems
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_shapes

TEMPLATE = "prompts/review.md.j2"
ROLES = head("data", "app.roles") + (
    "shape: roles\n"
    "value:\n"
    "  reviewer: {focus: what is wrong, tools: [Read, Grep]}\n"
    "  runner: {focus: what fails, model: opus, tools: [Bash]}\n"
)


def prompt(variables: str = "{diff: {type: text, untrusted: true}}", role: str = "reviewer", more: str = "") -> str:
    return head("data", "app.prompt") + (
        f"shape: prompt\ntemplates: [{TEMPLATE}{more}]\n"
        f"value:\n  template: {TEMPLATE}\n  role: {role}\n  variables: {variables}\n"
    )


def held(
    document: str, templates: Mapping[str, str | bytes], roles: str = ROLES
) -> tuple[list[Problem], list[Problem]]:
    """The problems and the warnings of a set with these documents and templates."""
    texts = {name: text if isinstance(text, bytes) else text.encode() for name, text in templates.items()}
    sources = [Source(f"{index}.yaml", one.encode(), SHIPPED) for index, one in enumerate((document, roles)) if one]
    policies = PolicySet.load(sources, shipped_shapes(), templates=texts)
    problems, warnings = Problems(), Problems()
    hold_prompts(policies, problems, warnings)
    return problems.found, warnings.found


def test_a_prompt_that_fits_its_template_and_its_role_is_no_problem() -> None:
    text = "{% set n = 1 %}Read it. {# Bash #}{% for line in diff %}{{ loop.index }}{{ line }}{% endfor %}{{ n }}\n"
    assert held(prompt(), {TEMPLATE: text}) == ([], [])


def test_a_variable_that_the_template_uses_and_nobody_declares_is_a_problem_at_its_place_in_the_template() -> None:
    (problem,), warnings = held(prompt(), {TEMPLATE: "Look:\n{{ diff }} and {{ dif }}\n{{ dif }}\n"})
    assert (problem.code, str(problem.mark)) == ("undeclared_variable", f"templates/{TEMPLATE}:2:19")
    assert problem.document == "app.prompt"
    assert problem.hint == "did you mean 'diff'?"
    assert warnings == []


def test_a_variable_that_no_template_uses_is_a_warning_at_its_declaration() -> None:
    document = prompt("{diff: {type: text, untrusted: true}, task: {type: string, untrusted: false}}")
    problems, (warning,) = held(document, {TEMPLATE: "{{ diff }}"})
    assert problems == []
    assert (warning.code, warning.mark.line) == ("unused_variable", document.count("\n"))
    assert "'task'" in warning.message


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\n{{ diff\n", 2), ("a\n\n{% if %}", 3), ("{{ diff | nothing }}", 1), ("{" * 3, 1), (b"a\n\xff\n", 2)],
)
def test_a_template_that_does_not_parse_is_a_problem_with_its_line(text: str | bytes, line: int) -> None:
    (problem,), warnings = held(prompt(), {TEMPLATE: text})
    assert (problem.code, problem.mark.file, problem.mark.line) == ("bad_template", f"templates/{TEMPLATE}", line)
    assert warnings == []  # nothing is known of what it uses


@pytest.mark.parametrize(
    "text", ["{{ " + "(" * 20_000, "{% if diff %}" * 20_000, "{{ " + "[" * 5000 + "]" * 5000 + " }}"]
)
def test_a_hostile_template_is_a_problem_and_nothing_worse(text: str) -> None:
    (problem,), _warnings = held(prompt(), {TEMPLATE: text})
    assert problem.code == "bad_template"


def test_a_template_is_never_rendered() -> None:
    text = "{{ diff }}{{ ''.__class__.__mro__[1].__subclasses__() }}{{ range(10 ** 12) | list }}"
    assert held(prompt(), {TEMPLATE: text}) == ([], [])


def test_the_text_may_name_no_tool_that_its_role_lacks() -> None:
    text = "{{ diff }}\nUse Grep, never\nBash or Bashful; {{ diff.Bash }}\nBash\n"
    (problem,), _warnings = held(prompt(), {TEMPLATE: text})
    assert (problem.code, str(problem.mark)) == ("tool_not_of_role", f"templates/{TEMPLATE}:3:1")
    assert "Bash" in problem.message
    (other,), _warnings = held(prompt(role="runner"), {TEMPLATE: text})
    assert "Grep" in other.message


@pytest.mark.parametrize(
    "text",
    [
        '{{ "use Bash" }}',
        "{{ diff | default('Bash') }}",
        '{{ diff ~ "\\x42ash" }}',
        '{% set how = "use Bash" %}{{ how }}{{ diff }}',
        '{% if diff %}{{ "a" if diff else "Bash" }}{% endif %}',
    ],
)
def test_a_tool_in_text_that_an_expression_prints_is_told(text: str) -> None:
    (problem,), _warnings = held(prompt(), {TEMPLATE: f"{{{{ diff }}}}\n{text}\n"})
    assert (problem.code, problem.mark.line) == ("tool_not_of_role", 2)


def test_a_tool_in_a_key_or_a_comparison_is_not_printed() -> None:
    text = '{{ diff["Bash"] }}{{ "a" if diff == "Bash" }}{% if diff == "Bash" %}{% endif %}'
    assert held(prompt(), {TEMPLATE: text}) == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        "{% for item in diff %}{% include 'b.j2' %}{% endfor %}",
        "{% set item = diff %}{% include 'b.j2' %}",
        "{% extends 'b.j2' %}{% set item = diff %}",
        "{% macro item(x) %}{{ x }}{% endmacro %}{% include 'b.j2' %}{{ diff }}",
        "{% import 'c.j2' as item %}{% include 'b.j2' %}{{ diff }}",
        "{% from 'c.j2' import m as item %}{% include 'b.j2' %}{{ diff }}",
        "{% set a, item = diff %}{% include 'b.j2' %}",
        "{% macro m(item) %}{% include 'b.j2' %}{% endmacro %}{{ m(diff) }}",
    ],
)
def test_a_name_that_the_place_of_an_include_assigns_is_declared_for_the_template_there(text: str) -> None:
    texts = {TEMPLATE: text, "b.j2": "{{ item }}", "c.j2": "{% macro m() %}{% endmacro %}"}
    assert held(prompt(more=", b.j2, c.j2"), texts) == ([], [])


def test_a_name_of_another_template_is_not_declared_where_nobody_includes_it() -> None:
    texts = {TEMPLATE: "{{ diff }}{{ item }}{% include 'b.j2' %}", "b.j2": "{% set item = 1 %}{{ items }}"}
    found, _warnings = held(prompt(more=", b.j2"), texts)
    assert {(one.code, one.mark.file) for one in found} == {
        ("undeclared_variable", f"templates/{TEMPLATE}"),
        ("undeclared_variable", "templates/b.j2"),
    }


def test_what_a_template_itself_assigns_elsewhere_does_not_declare_a_name() -> None:
    text = "{% for item in diff %}{% endfor %}{{ item }}"
    (problem,), _warnings = held(prompt(more=", b.j2"), {TEMPLATE: "{% include 'b.j2' %}", "b.j2": text})
    assert problem.code == "undeclared_variable"


def test_a_role_that_nobody_defines_is_a_problem() -> None:
    (problem,), _warnings = held(prompt(role="reviewr"), {TEMPLATE: "{{ diff }} Bash"})
    assert (problem.code, problem.hint) == ("unknown_role", "did you mean 'reviewer'?")
    (alone,), _warnings = held(prompt(), {TEMPLATE: "{{ diff }}"}, roles="")
    assert alone.code == "unknown_role"


def test_a_template_that_no_digest_knows_is_a_problem() -> None:
    texts = {TEMPLATE: "{{ diff }}{% include 'prompts/frame.md.j2' %}", "prompts/frame.md.j2": "{{ task }}"}
    (problem,), _warnings = held(prompt(), texts)
    assert problem.code == "template_not_named"
    variables = "{diff: {type: text, untrusted: true}, task: {type: string, untrusted: false}}"
    assert held(prompt(variables, more=", prompts/frame.md.j2"), texts) == ([], [])


@pytest.mark.parametrize(
    "value",
    [
        "{template: p.j2, variables: {x: {type: text}}}",
        "{template: p.j2, variables: {x: {type: words, untrusted: true}}}",
        "{template: ../p.j2, variables: {}}",
        "{template: p.j2, variables: {X: {type: text, untrusted: true}}}",
        "{template: p.j2}",
    ],
)
def test_the_shape_of_a_prompt_asks_for_types_and_for_what_is_untrusted(value: str) -> None:
    document = head("data", "app.prompt") + f"shape: prompt\nvalue: {value}\n"
    with pytest.raises(PolicyError) as caught:
        held(document, {})
    assert caught.value.code == "wrong_shape"

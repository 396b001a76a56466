"""Machines as Mermaid diagrams: whatever names stand in them, each line is a statement of the diagram and no other."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_support import head, layered

from toolkit.authoring.drawing.mermaid import escaped, machine_mermaid

LABEL = r"(?:[^\W_]|[ ,_.\-]|#[0-9]+;)*"
LINE = re.compile(
    r'    (?:state "(?P<name>' + LABEL + r')" as (?P<alias>s[0-9]+_*)'
    r"|\[\*\] --> [a-z][a-z0-9_]*|[a-z][a-z0-9_]* --> \[\*\]"
    r"|[a-z][a-z0-9_]* --> [a-z][a-z0-9_]* : "
    + LABEL + r"(?:<br/>\[" + LABEL + r"\])?(?:<br/>/ " + LABEL + r")?)\Z"
)  # fmt: skip
HOSTILE = (
    "end", "state", "note right of x", "a --> b", "%%{init: {}}%%", "%% gone", "`code`", 'a "b"', "a\nb", "click",
    "<b>x</b>", "</script>", "direction TB", "a: b; c", "#58;", "style", "classDef x fill:#f00;", "[*]", "{", "}",
    "<<fork>>", "[[choice]]", "default", "default_one", "root_start", "constructor", "1. one", "- one", "中文",
    "\u202eabc", "\x1b[31m", "*b*", "__u__", "https://example.org", "end note", "x as y", "s2", "s3", "a-b", "&lt;",
    "---\ntitle: x\n---", "\\", "$$x$$",
)  # fmt: skip


NAMES = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), min_size=1, max_size=20)


def decoded(label: str) -> str:
    return re.sub(r"#([0-9]+);", lambda found: chr(int(found[1])), label)


def spelled(name: str) -> str:
    """The name with what doesn't show as its escape."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)


def machine(states: list[str], value: str = "a") -> str:
    """The diagram of a machine that goes through these states, one after the other."""
    terms = head("vocabulary", "t.states") + f"terms: {json.dumps([{'term': one} for one in states])}\n"
    steps = [
        {"id": f"t{i}", "from": [one], "event": "go", "when": {"x": value}, "to": states[i + 1], "effects": ["note"]}
        for i, one in enumerate(states[:-1])
    ]
    of = {"of": "t.states", "initial": states[0], "terminal": [states[-1]]}
    events = "events: {go: {inputs: {x: {type: string}}}}"
    text = f"states: {json.dumps(of)}\n{events}\ntransitions: {json.dumps(steps)}\n"
    return machine_mermaid(layered(terms, head("machine", "t.machine") + text).machine("t.machine").document)


def lines_of(diagram: str) -> list[str]:
    first, *lines = diagram.removesuffix("\n").split("\n")
    assert first == "stateDiagram-v2"
    return lines


def test_a_machine_begins_goes_on_and_ends() -> None:
    assert machine(["dark", "bright", "broken"]) == (
        "stateDiagram-v2\n"
        "    [*] --> dark\n"
        "    dark --> bright : go<br/>[x a]<br/>/ note\n"
        "    bright --> broken : go<br/>[x a]<br/>/ note\n"
        "    broken --> [*]\n"
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_and_not_obeyed(name: str) -> None:
    lines = lines_of(machine(["dark", name, "broken"], value=name))
    for line in lines:
        assert LINE.match(line), line
    named = [found["name"] for found in map(LINE.match, lines) if found and found["name"]]
    if name not in ("s2", "s3"):
        assert [decoded(one) for one in named] == [spelled(name)]
    assert len(lines) == 4 + len(named)


@given(st.lists(NAMES | st.sampled_from(HOSTILE), min_size=2, max_size=6, unique=True))
@settings(max_examples=150)
def test_every_diagram_has_a_line_for_each_name_and_each_step(states: list[str]) -> None:
    diagram = machine(states, value=states[0])
    lines = lines_of(diagram)
    assert all(LINE.match(line) for line in lines), diagram
    found = [one for one in map(LINE.match, lines) if one and one["name"] is not None]
    assert len(lines) == len(found) + len(states) - 1 + 2
    aliases = [one["alias"] for one in found]
    assert len(set(aliases) | set(states)) == len(aliases) + len(states)
    assert {decoded(one["name"]) for one in found} <= set(map(spelled, states))
    assert diagram == machine(states, value=states[0])


@given(st.text(max_size=40))
def test_escaping_loses_nothing_and_leaves_no_word_to_obey(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    told = escaped(text)
    assert re.fullmatch(LABEL, told)
    assert decoded(told) == spelled(text)
    assert not re.search("direction|style|classdef|end note|http|www", told, re.IGNORECASE)


@pytest.mark.parametrize("word", ["direction TB", "Style", "CLASSDEF", "end note", "https", "www"])
def test_words_that_mermaid_looks_for_everywhere_are_broken(word: str) -> None:
    assert word not in escaped(f"a {word} b")
    assert decoded(escaped(f"a {word} b")) == f"a {word} b"


def test_states_that_nothing_leads_to_are_left_out() -> None:
    terms = head("vocabulary", "t.states") + "terms: [{term: a}, {term: b}, {term: c}]\n"
    text = (
        "states: {of: t.states, initial: a, terminal: [b]}\nevents: {go: {}}\n"
        "transitions: [{id: t, from: a, event: go, to: b}]\n"
    )
    diagram = machine_mermaid(layered(terms, head("machine", "t.machine") + text).machine("t.machine").document)
    assert lines_of(diagram) == ["    [*] --> a", "    a --> b : go", "    b --> [*]"]

"""First files: a configuration, a note, and a small complete document of each kind, which loads as it is written."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from toolkit.authoring.editable import Editable, editable
from toolkit.authoring.formatting import format_policy
from toolkit.authoring.formatting.layout import WIDTH
from toolkit.authoring.formatting.scalars import is_plain
from toolkit.authoring.schemas.published import CONFIG, FOLDER, SUFFIX
from toolkit.policy.documents.heads import KINDS, id_pattern, pack_of
from toolkit.policy.layers import OWN_PACKS, REPOSITORY
from toolkit.policy.problems import PolicyError, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS
from toolkit.policy.syntax.nodes import odd_character

SCHEMA_LINE: Final = "# yaml-language-server: $schema="
VERSION: Final = "1.0.0"
PACK: Final = OWN_PACKS[REPOSITORY]
MAX_LISTED: Final = 60  # names of parts in a comment
MAX_POINTERS: Final = 16  # likewise, of a payload
# What no file may be called on Windows, whatever its suffix: a colleague could not check the repository out.
RESERVED_NAMES: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10))]
)

_STATES: Final = ("draft", "open", "closed")
_OWN_WORDS: Final = ("title: What this is about, in one line", 'source: "ours: who decided it, and why"')


class Scaffold(NamedTuple):
    """A document as it is first written; ``file`` is below the folder of policies, without its suffix."""

    kind: str
    id: str
    file: str
    text: str


def config_text(profile: str, profiles: Iterable[str]) -> str:
    """The configuration that chooses a profile."""
    text = (
        f"{SCHEMA_LINE}{FOLDER}/{CONFIG}{SUFFIX}\n"
        f"# The profile: in which way the shipped policies are meant here. There are: {', '.join(sorted(profiles))}.\n"
        f"profile: {_flow(profile)}\n"
    )
    return format_policy(text.encode(), CONFIG).decode()


def readme_text() -> str:
    """What somebody reads who finds the folder."""
    return textwrap.dedent(
        f"""\
        # Policies of this repository

        What is in force everywhere is shipped with the tool. What is different here stands in `policies/`, one YAML
        document a file. An overlay edits a shipped document, by the names of its rows:

            dr-policy list                                                  # what there is to edit
            dr-policy new overlay {PACK}.large-change --base review.risk      # a first file, which changes nothing yet
            dr-policy check                                                 # does everything load?
            dr-policy test                                                  # do the cases hold?

        Documents and overlays here are called `{PACK}.<name>`. `config.yaml` chooses the profile, and `schemas/` is
        for editors: generated, and brought up to date by `dr-policy init`.
        """
    )


def scaffold(kind: str, identity: str, policies: PolicySet, base: str | None = None) -> tuple[Scaffold, ...]:
    """The documents that begin something new in a repository where ``policies`` are in force; most are one.

    ``base`` is the document that an overlay edits. Raises ``PolicyError`` where there can be none of this kind or id.
    """
    _hold_id(identity, policies)
    if kind == "overlay":
        if base is None:
            step = f"dr-policy new overlay {identity} --base review.risk"
            raise PolicyError("no_base", "an overlay edits a document: which one?", next_step=step)
        return (_overlay(identity, policies, base),)
    if base is not None:
        raise PolicyError(
            "base_misplaced", f"only an overlay has a base, and this is a {kind}", next_step="leave it out"
        )
    if kind == "data":
        raise PolicyError(
            "data_without_reader",
            "a repository has no data of its own: a payload is read by code, and code asks for shipped ids alone",
            next_step=f"edit a shipped one: dr-policy new overlay {identity} --base verify.limits",
        )
    if kind == "machine":
        return _machine(identity, policies)
    return ({"vocabulary": _vocabulary, "table": _table}[kind](identity),)


def _hold_id(identity: str, policies: PolicySet) -> None:
    """Raise where nothing new of this repository can be called so."""
    if not id_pattern().match(identity):
        step = f"write {PACK}.<name> in lower case, e.g. {PACK}.large-change"
        raise PolicyError("bad_id", f"{shown(identity)} is no id", next_step=step)
    taken = policies.entry(identity) if identity in policies.ids else None
    if taken is not None:
        own = identity.partition(".")[2]
        step = f"edit {taken.head.mark.file}"
        if taken.head.layer != REPOSITORY:
            step = f"edit it by an overlay: dr-policy new overlay {PACK}.{own} --base {identity}"
        message = f"{identity} is there already: {taken.head.title}"
        raise PolicyError("duplicate_id", message, place=str(taken.head.mark), next_step=step)
    if pack_of(identity) != PACK:
        message = f"what stands in a repository is of the pack {PACK!r}, not {pack_of(identity)!r}"
        raise PolicyError("foreign_pack", message, next_step=f"call it {PACK}.{identity.partition('.')[2]}")
    for overlay, file in _overlays(policies):
        if overlay == identity:
            raise PolicyError("duplicate_id", f"{identity} is there already", place=file, next_step=f"edit {file}")
    reserved = next((part for part in identity.split(".") if part in RESERVED_NAMES), None)
    if reserved is not None:
        message = f"Windows has no file called {reserved!r}, so a colleague could not check it out"
        raise PolicyError("reserved_name", message, next_step="choose another name")


def _overlays(policies: PolicySet) -> Iterator[tuple[str, str]]:
    """Every overlay that edits something, with its file."""
    for document in policies.ids:
        for edit in policies.entry(document).edits:
            yield edit.id, edit.file


def _document(kind: str, identity: str, told: str, body: str, *, own: bool = True) -> Scaffold:
    """A document from the sentences that stand above it and from what stands below its head."""
    file = identity.partition(".")[2].replace(".", "/")
    schema = f"{SCHEMA_LINE}{'../' * (file.count('/') + 1)}{FOLDER}/{kind}{SUFFIX}"
    head = ["policy: v1", f"kind: {kind}", f"id: {identity}", f"version: {VERSION}"]
    lines = [schema, *_comment(told), *head, *(_OWN_WORDS if own else ()), textwrap.dedent(body).strip("\n"), ""]
    assert kind in KINDS
    return Scaffold(kind, identity, file, format_policy("\n".join(lines).encode(), file).decode())


def _comment(text: str) -> Iterator[str]:
    for line in odd_character().sub("?", text).split("\n"):
        yield from textwrap.wrap(
            line, WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False, break_on_hyphens=False
        )


def _vocabulary(identity: str) -> Scaffold:
    told = (
        f"An ordered list of words. A table names it: {{type: term, of: {identity}}}.\n"
        "order: descending has the gravest first, ascending the lowest first; a sequence compares nothing."
    )
    body = """
        order: descending
        # The texts that every term carries beside its name.
        anchors: [definition]
        terms:
          - {term: high, definition: What it means that something is high}
          - {term: medium, definition: What it means that something is medium}
          - {term: low, definition: What it means that something is low}
    """
    return _document("vocabulary", identity, told, body)


def _table(identity: str) -> Scaffold:
    facts = '\'{"lines": 12, "reviewed": false}\''
    told = f"Rows that answer a question. Ask it: dr-policy eval {identity} --facts {facts}"
    body = """
        # unique: exactly one row matches whatever the facts are, which is proved when the file loads.
        hit: unique
        inputs:
          lines: {type: integer, minimum: 0}
          reviewed: {type: boolean}
        outputs:
          # stronger: the gravest answer first, so that dr-policy diff can tell what became weaker.
          decision: {type: term, one_of: [accept, ask], stronger: [ask, accept]}
        rows:
          - {id: reviewed, when: {reviewed: true}, then: {decision: accept}}
          - {id: short, when: {reviewed: false, lines: {lte: 20}}, then: {decision: accept}}
          - {id: long, when: {reviewed: false, lines: {gt: 20}}, then: {decision: ask}}
        # Questions with known answers: dr-policy test
        cases:
          - {id: somebody-looked-at-it, given: {lines: 500, reviewed: true}, expect: {decision: accept}, row: reviewed}
          - {id: twenty-lines, given: {lines: 20, reviewed: false}, expect: {decision: accept}, row: short}
          - {id: one-line-too-many, given: {lines: 21, reviewed: false}, expect: {decision: ask}, row: long}
    """
    return _document("table", identity, told, body)


def _machine(identity: str, policies: PolicySet) -> tuple[Scaffold, ...]:
    """A machine, and the vocabulary of its states unless that stands there already."""
    states = f"{identity}-state"
    machine = _document(
        "machine",
        identity,
        f"Which event leads from which state to which. The states are the terms of {states}.\n"
        "effects: [...] on a transition names what code does on the way; it must be an effect that code knows.",
        f"""
        states: {{of: {states}, initial: draft, terminal: [closed]}}
        events:
          submit: {{inputs: {{findings: {{type: integer, minimum: 0}}}}}}
          give-up: {{}}
        # No two transitions of one state and event match the same facts, which is proved when the file loads.
        # What no transition allows is refused.
        transitions:
          - {{id: clean, from: draft, event: submit, when: {{findings: 0}}, to: closed}}
          - {{id: found, from: draft, event: submit, when: {{findings: {{gte: 1}}}}, to: open}}
          - {{id: given-up, from: [draft, open], event: give-up, to: closed}}
        # Steps with known ends: dr-policy test
        cases:
          - {{id: no-finding, given: {{state: draft, event: submit, findings: 0}}, expect: {{to: closed}}, row: clean}}
          - {{id: one-finding, given: {{state: draft, event: submit, findings: 1}}, expect: {{to: open}}, row: found}}
          - {{id: gave-up, given: {{state: open, event: give-up}}, expect: {{to: closed}}, row: given-up}}
        """,
    )
    if not id_pattern().match(states):
        message = f"{shown(identity)} is too long: its states would be called {shown(states)}"
        raise PolicyError("bad_id", message, next_step="choose a shorter name")
    if _is_states(states, policies):
        return (machine,)  # a run that was cut short wrote them
    _hold_id(states, policies)
    told = f"The states of the machine {identity}, in the order in which they are shown."
    body = """
        order: sequence
        anchors: [definition]
        terms:
          - {term: draft, definition: Nobody has looked at it yet}
          - {term: open, definition: Something was found}
          - {term: closed, definition: Nothing follows}
    """
    return _document("vocabulary", states, told, body), machine


def _is_states(identity: str, policies: PolicySet) -> bool:
    """Whether a vocabulary stands there already that has just these states."""
    if identity not in policies.ids or policies.entry(identity).head.kind != "vocabulary":
        return False
    return policies.vocabulary(identity).terms == _STATES


def _overlay(identity: str, policies: PolicySet, base: str) -> Scaffold:
    """An overlay that says again what its base says already: it changes nothing until somebody edits it."""
    head = policies.entry(base).head
    if head.layer == REPOSITORY:
        step = f"edit {head.mark.file}"
        raise PolicyError("own_document", f"{base} is this repository's own", place=str(head.mark), next_step=step)
    found = editable(policies, base, identity)
    body = [*_comment_of_parts(found, head.kind), *_edit(found), *_cases(found)]
    told = (
        f"An overlay says what is different here from {base}: {head.title}\n"
        f"It changes nothing yet: what stands here, {base} says as well. Edit it, then: dr-policy check"
    )
    title = f"title: What is different here, in one line\nbase: {{id: {base}, version: {_flow(_range(head.version))}}}"
    return _document("overlay", identity, told, "\n".join([title, *body]), own=False)


def _comment_of_parts(found: Editable, kind: str) -> Iterator[str]:
    word = f"{ITEMS[kind].list} by their names" if kind in ITEMS else "values by their pointers"
    told = MAX_LISTED if kind in ITEMS else MAX_POINTERS
    names = ", ".join(one if is_plain(one, flow=True) else _flow(one) for one in found.names[:told])
    more = len(found.names) - told
    yield from _comment(f"It edits {word}: {names}" + (f", and {more} more (dr-policy show)" if more > 0 else ""))
    ways = "set changes or adds a value, remove takes one away."
    if kind in ITEMS:
        ways = (
            "replace puts another in its place, remove takes one away, insert adds one (after, before, at: start|end)."
        )
    yield from _comment(ways)


def _edit(found: Editable) -> Iterator[str]:
    yield f"{found.edit}:"
    yield f"  {_flow(found.name)}: {_flow(found.content)}"


def _cases(found: Editable) -> Iterator[str]:
    if found.case is not None:
        yield from _comment("A question with a known answer, asked of what is in force here: dr-policy test")
        yield "cases:"
        yield f"  - {_flow(found.case)}"


def _flow(value: Any) -> str:
    """A JSON value on one line; formatting gives it its form."""
    text = json.dumps(value, ensure_ascii=False)
    return odd_character().sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _range(version: str) -> str:
    """The versions that promise the same as this one."""
    major, minor, _patch = (int(part) for part in version.partition("+")[0].split("."))
    above = f"{major + 1}" if major else f"0.{minor + 1}"
    return f">={major}.{minor},<{above}"

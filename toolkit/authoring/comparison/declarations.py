"""What two documents declare: their inputs, lets, outputs and invariants, each held against that of the same name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.authoring.comparison.changes import INPUT, LET, OUTPUT, REQUIRE, Change, stated

Content = Mapping[str, Any]  # a document, or a part of it, as plain JSON

FLAGS = ("optional", "informs")  # that say nothing where they are false


def declared_changes(name: str, before: Content, after: Content) -> Iterator[Change]:
    """Every declaration of a table that one has and the other has not, or otherwise.

    A vocabulary that changed is told of itself, not of the inputs that name it.
    """
    yield from input_changes(name, before, after)
    yield from _held(name, LET, *(_words(one.get("let", {})) for one in (before, after)))
    yield from _held(name, OUTPUT, *(_declared(one["outputs"]) for one in (before, after)))
    old, new = ([*one.get("require", ())] for one in (before, after))
    for invariant in old:
        if invariant not in new:
            yield stated(name, REQUIRE, "require", invariant, None, "an invariant is gone")
    for invariant in new:
        if invariant not in old:
            yield stated(name, REQUIRE, "require", None, invariant, "an invariant is new")


def input_changes(name: str, before: Content, after: Content, within: str = "") -> Iterator[Change]:
    """Inputs that one side has and the other has not, or with other values. ``within`` stands before their names."""
    yield from _held(name, INPUT, *(_declared(one.get("inputs", {}), within) for one in (before, after)))


def _held(name: str, kind: str, before: Content, after: Content) -> Iterator[Change]:
    for subject in dict.fromkeys((*before, *after)):
        was, now = before.get(subject), after.get(subject)
        if was != now:
            verb = "is new" if was is None else "is gone" if now is None else "is declared otherwise"
            yield stated(name, kind, subject, was, now, f"the {kind} {subject!r} {verb}")


def _declared(inputs: Content, within: str = "") -> dict[str, Any]:
    return {f"{within}{name}": _spelt(one) for name, one in inputs.items()}


def _spelt(declared: Content) -> dict[str, Any]:
    """A declaration without what it need not say."""
    found = {key: value for key, value in declared.items() if not (key in FLAGS and value is False)}
    if "items" in found:
        found["items"] = _spelt(found["items"])
    if "fields" in found:
        found["fields"] = _declared(found["fields"])
    return found


def _words(lets: Content) -> dict[str, str]:
    """Expressions whose spaces say nothing."""
    return {name: " ".join(text.split()) for name, text in lets.items()}

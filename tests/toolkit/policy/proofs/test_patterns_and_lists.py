"""What constants can't tell: patterns, and lists of texts. A claim against a table stands on a text that was tried."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs_support import Facts, Spec, by_kind, document, outcome, proofs_of, spec

from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED, Proof, prove
from toolkit.policy.tables import Table

GLOBS = ("src/**", "**/*.md", "src/*.md", "docs/", "a?c", "[ab]/x", "*", "**/test_*/**", "src/a", "SRC/**")
REGEXES = ("^a", "b$", r"\bTODO\b", "fix(es|ed)?", "[0-9]+", "x.y", "^$")
PATHS = (
    "src/a",
    "src/a.md",
    "a.md",
    "docs/x",
    "abc",
    "a/x",
    "b/x",
    "x/test_y/z",
    "src/test_1/q.md",
    "SRC/b",
    "",
    "other",
)
TEXTS = ("", "a", "b", "ab", "TODO", "a\nb", "it fixes 12", "xzy", "x\r\ny", "other")
OUTPUTS = {"y": {"type": "term", "one_of": ["allow", "deny"]}}


def one(when: Spec | None, answer: str = "deny", identity: str = "r") -> Spec:
    return {"id": identity, **({"when": when} if when else {}), "then": {"y": answer}}


def gap_of(*whens: Spec, **inputs: Spec) -> Proof:
    rows = [one(when, identity=f"r{place}") for place, when in enumerate(whens)]
    (gap,) = proofs_of(spec(hit="first", inputs=inputs, outputs=OUTPUTS, rows=rows))
    return gap


PATH: Spec = {"type": "path"}


def test_a_glob_and_its_negation_cover_everything() -> None:
    glob = {"glob": ["src/**", "*.md"]}
    assert gap_of({"p": glob}, {"p": {"not": {"glob": ["*.md", "src/**"]}}}, p=PATH).status == PROVED
    optional = {"type": "path", "optional": True}
    there = {"present": True, **glob}
    assert gap_of({"p": there}, {"p": {"not": there}}, p=optional).status == PROVED
    gap = gap_of({"p": there}, {"p": {"present": True, "not": glob}}, p=optional)
    assert (gap.status, gap.witness) == (REFUTED, {"p": None})


def test_more_patterns_find_no_less_and_no_case_finds_no_less_than_case() -> None:
    wide = {"glob": ["src/**", "docs/**"]}
    assert gap_of({"p": wide}, {"p": {"not": {"glob": ["src/**"]}}}, p=PATH).status == PROVED
    loose = {"glob": ["src/**"], "ignore_case": True}
    assert gap_of({"p": loose}, {"p": {"not": {"glob": ["src/**"]}}}, p=PATH).status == PROVED
    gap = gap_of({"p": {"not": loose}}, {"p": {"glob": ["src/**"]}}, p=PATH)
    assert gap.status in (REFUTED, NOT_PROVED)


def test_a_constant_has_the_value_that_the_pattern_gives_it() -> None:
    # The only path that is not above is a constant, and the pattern is found in it.
    assert gap_of({"p": {"not": "src/a"}}, {"p": {"glob": ["src/*"]}}, p=PATH).status == PROVED
    gap = gap_of({"p": {"not": "docs/a"}}, {"p": {"glob": ["src/*"]}}, p=PATH)
    assert (gap.status, gap.witness) == (REFUTED, {"p": "docs/a"})


@pytest.mark.parametrize(
    ("found", "excluded"),
    [
        (["src/**"], ["src/*.md"]), (["**/*.md", "docs/**"], ["docs/**"]), (["src/**", "**/x"], ["**/*.md"]),
        (["a?c"], ["abc"]), (["[!ab]/**"], ["src/**"]), (["docs/"], ["docs/*"]), (["\\*x"], ["x*"]),
    ],
)  # fmt: skip
def test_a_path_is_found_between_two_globs(found: list[str], excluded: list[str]) -> None:
    gap = gap_of({"p": {"not": {"glob": found}}}, {"p": {"glob": excluded}}, p=PATH)
    assert gap.status == REFUTED
    assert gap.witness is not None
    assert set(gap.witness) == {"p"}


@pytest.mark.parametrize("pattern", [*REGEXES, r"a|b", r"(?i)todo", r"\d\s\w", r"[^a]", r"a{2}", r"\.py$"])
def test_a_text_is_made_up_for_a_plain_pattern(pattern: str) -> None:
    text: Spec = {"type": "text"}
    gap = gap_of({"p": {"not": {"matches": [pattern]}}}, p=text)
    # A repetition is beyond what is made up; then nothing is claimed.
    assert gap.status == (NOT_PROVED if pattern == "a{2}" else REFUTED)


def test_where_no_text_is_found_nothing_is_claimed() -> None:
    # No path ends in both; that is not seen in the middle of a name, and so not said.
    apart = gap_of({"p": {"not": {"glob": ["*a*b"]}}}, {"p": {"not": {"glob": ["*[c]b"]}}}, p=PATH)
    assert apart.status in (REFUTED, NOT_PROVED)
    hard = gap_of({"p": {"not": {"matches": ["^(ab){3}$"]}}}, p={"type": "string"})
    assert (hard.status, hard.witness) == (NOT_PROVED, None)
    assert "patterns" in hard.message


@pytest.mark.parametrize(
    ("one_glob", "another", "apart"),
    [
        ("src/**", "docs/**", True), ("**/*.md", "**/*.py", True), ("\\*a", "\\*b", True), ("docs/", "doc/", True),
        ("**/b", "xb", True),
        ("src/**", "src/a/**", False), ("src/**", "**/*.py", False), ("src", "src/**", False), ("a*", "ab*", False),
        ("*.md", "x.md", False), ("**/b", "b", False), ("docs/", "docs/x/", False),
    ],
)  # fmt: skip
def test_globs_are_apart_only_where_beginnings_or_ends_say_so(one_glob: str, another: str, apart: bool) -> None:
    gap = gap_of({"p": {"not": {"glob": [one_glob]}}}, {"p": {"not": {"glob": [another]}}}, p=PATH)
    assert (gap.status == PROVED) is apart


def test_the_items_of_a_list_of_paths_are_tried_too() -> None:
    paths: Spec = {"type": "list", "items": {"type": "path"}}
    some = {"some": {"glob": ["src/**"]}}
    assert gap_of({"l": some}, {"l": {"every": {"not": {"glob": ["src/**"]}}}}, l=paths).status == PROVED
    gap = gap_of({"l": {"not": some}}, {"l": {"some": {"glob": ["docs/**"]}}}, l=paths)
    assert gap.status == REFUTED
    gap = gap_of({"l": {"count": {"lt": 3}}}, {"l": {"some": {"glob": ["**/*.md"]}}}, l=paths)
    assert gap.status == REFUTED
    assert gap.witness is not None
    assert len(gap.witness["l"]) >= 3  # type: ignore[arg-type]


def test_a_list_with_too_many_kinds_of_items_is_still_searched_for_a_gap() -> None:
    words = [f"w{place}" for place in range(24)]
    named: Spec = {"type": "list", "items": {"type": "term", "one_of": words}}
    whens = [{"l": {"some": word}} for word in words]
    gap = gap_of(*whens, l=named)
    assert (gap.status, gap.witness) == (REFUTED, {"l": []})
    assert gap_of(*whens, {"l": {"every": {"not": "w0"}}}, l=named).status == PROVED


def test_a_list_of_few_kinds_is_told_apart_exactly() -> None:
    named: Spec = {"type": "list", "items": {"type": "term", "one_of": ["p", "q", "r"]}, "optional": True}
    there = [
        {"present": True, **cell} for cell in ({"count": 0}, {"some": "p"}, {"every": ["q", "r"], "count": {"gte": 1}})
    ]
    assert gap_of(*({"l": cell} for cell in there), {"l": None}, l=named).status == PROVED
    gap = gap_of(*({"l": cell} for cell in there), l=named)
    assert (gap.status, gap.witness) == (REFUTED, {"l": None})
    # Two kinds of items need two items.
    both = {"l": {"present": True, "some": "p", "every": ["p", "q"], "not": {"every": "p"}, "count": {"lt": 2}}}
    rest = {"l": {"not": both["l"]}}
    assert gap_of(rest, l=named).status == PROVED


def test_an_invariant_over_a_pattern_is_guarded_by_an_earlier_row() -> None:
    inputs = {"p": PATH, "b": {"type": "boolean"}}
    secret = {"p": {"glob": ["**/*.pem", "**/secrets/**"]}}
    body = spec(hit="first", inputs=inputs, outputs=OUTPUTS, rows=[
        one(secret, identity="secret"), one({"b": True}, "allow", "asked"), one(None, identity="rest"),
    ], require=[{"when_output": {"y": "allow"}, "inputs": {"p": {"not": {"glob": ["**/*.pem"]}}}}])  # fmt: skip
    assert [proof.status for proof in by_kind(proofs_of(body), "require")] == [PROVED]
    body["rows"] = body["rows"][1:]
    (proof,) = by_kind(proofs_of(body), "require")
    assert (proof.status, proof.subject) == (REFUTED, ("asked",))
    assert proof.witness is not None
    assert str(proof.witness["p"]).endswith(".pem")


@st.composite
def _cells(draw: st.DrawFn, kind: str) -> Any:
    operator, patterns, constants = ("glob", GLOBS, PATHS) if kind == "path" else ("matches", REGEXES, TEXTS)
    cell = draw(
        st.one_of(
            st.lists(st.sampled_from(patterns), min_size=1, max_size=2).map(lambda found: {operator: found}),
            st.sampled_from(constants),
            st.lists(st.sampled_from(patterns), min_size=1, max_size=1).map(
                lambda found: {operator: found, "ignore_case": True}
            ),
        )
    )
    return {"not": cell} if draw(st.booleans()) else cell


@st.composite
def _tables(draw: st.DrawFn) -> Spec:
    kind = draw(st.sampled_from(["path", "text"]))
    listed = kind == "path" and draw(st.integers(0, 3)) == 0
    value: Spec = {"type": "list", "items": {"type": "path"}} if listed else {"type": kind}
    rows = []
    for place in range(draw(st.integers(1, 4))):
        cell = draw(_cells(kind))
        if listed:
            cell = {draw(st.sampled_from(["some", "every"])): cell}
        when = {"x": cell, **({"b": draw(st.booleans())} if draw(st.booleans()) else {})}
        rows.append(one(when, draw(st.sampled_from(["allow", "deny"])), f"r{place}"))
    if draw(st.booleans()):
        rows.append(one(None, "allow", "rest"))
    wanted = draw(_cells(kind))
    require = [{"when_output": {"y": "allow"}, "inputs": {"b": True} if listed else {"x": wanted}}]
    hit = draw(st.sampled_from(["first", "collect"]))
    return spec(hit=hit, inputs={"x": value, "b": {"type": "boolean"}}, outputs=OUTPUTS, rows=rows, require=require)


def _asked(body: Spec) -> list[Facts]:
    declared = body["inputs"]["x"]
    values: list[Any] = [*(PATHS if declared["type"] == "path" else TEXTS)]
    if declared["type"] == "list":
        values = [[], *([one] for one in PATHS), *([one, other] for one in PATHS for other in PATHS)]
    return [{"x": value, "b": flag} for value in values for flag in (False, True)]


@settings(max_examples=250)
@given(_tables())
def test_no_claim_about_a_table_of_patterns_is_false(body: Spec) -> None:
    read = document(body)
    table = Table(read)
    for proof in prove(read):
        code = "no_row" if proof.kind == "gap" else "invariant_broken"
        if proof.status == PROVED:
            assert not any(outcome(table, facts) == code for facts in _asked(body))
        elif proof.status == REFUTED:
            assert proof.witness is not None
            assert outcome(table, dict(proof.witness)) == code
        else:
            assert proof.witness is None

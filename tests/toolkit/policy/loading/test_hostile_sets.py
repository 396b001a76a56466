"""A hostile set exhausts no memory, ends soon, reads no file and runs nothing: counted, or held in a child."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile_support import GROWING, LARGE, listed, outcome, wide_table
from policy_support import head, layered, one_input, only_problem, refused, table

import toolkit
from toolkit.policy import problems
from toolkit.policy.language.patterns import MAX_COST
from toolkit.policy.loading import pinned as pins
from toolkit.policy.problems import MAX_SET_PROBLEMS, PolicyError, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax import nodes
from toolkit.policy.syntax.nodes import MAX_NODES, NodeBudget, read_yaml

MOST_MEMORY = 600 * 1024 * 1024
ONE_TO_ONE = "hit: first\ninputs: {a: {type: integer}}\noutputs: {b: {type: integer}}\n"
TESTS = Path(__file__).parents[3]


def in_child(*arguments: str) -> str:
    path = f"{TESTS}:{Path(toolkit.__file__).parents[1]}"
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env={"PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Nodes.


def test_a_set_has_so_many_nodes_and_no_more_in_whichever_file_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    # A mapping with seven keys and their values, then the key of the payload, its mapping, and a key with a list.
    monkeypatch.setattr(nodes, "MAX_NODES", 2 * (1 + 2 * 7 + 4) + 10)
    assert isinstance(outcome([listed(["0"] * 5, 0), listed(["0"] * 5, 1)]), PolicySet)
    fault = outcome([listed(["0"] * 5, 0), listed(["0"] * 6, 1), listed(["0"] * 5, 2)])
    assert isinstance(fault, PolicyError)
    (problem,) = fault.problems
    assert (problem.code, problem.mark.file, problem.mark.line) == ("too_many_nodes", "data1.yaml", 8)


def test_a_table_of_ten_thousand_rows_and_eight_cells_a_row_has_room() -> None:
    budget = NodeBudget()
    (source,) = wide_table(100)
    read_yaml(source.data, source.file, Problems(), budget)
    assert (MAX_NODES - budget.left) * 100 < MAX_NODES


@pytest.mark.parametrize("name", LARGE)
def test_a_tenth_of_the_largest_set_takes_a_tenth_of_the_memory(name: str) -> None:
    code, grown = in_child("-m", "hostile_support", name, str(MAX_NODES // 10 - 500)).split()
    assert code == "loaded"
    assert int(grown) < MOST_MEMORY // 10


def test_a_set_that_would_make_millions_of_nodes_is_refused_within_the_memory_of_a_small_one() -> None:
    code = (
        "import resource, hostile_support as h\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({MOST_MEMORY}, {MOST_MEMORY}))\n"
        "text = 'policy: v1\\nkind: data\\nvalue: [' + 'a,' * 500_000 + ']\\n'\n"
        "fault = h.outcome([h.source(str(n), text) for n in range(16)])\n"
        "print([one.code for one in fault.problems].count('too_many_nodes'), len(fault.problems))\n"
    )
    told, count = in_child("-c", code).split()
    assert told == "1"
    assert int(count) < 10


# Growth.


@pytest.mark.parametrize("name", GROWING)
def test_twice_the_set_is_twice_the_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MAX_SET_PROBLEMS", 150)  # reached by both, and soon
    small, large = _calls(name, 60), _calls(name, 120)
    assert large <= small * 2.3 + 2000


def _calls(name: str, size: int) -> int:
    """How many calls of functions loading takes."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sources = GROWING[name](size)
    outcome(sources)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        outcome(sources)
    finally:
        sys.setprofile(before)
    return calls


def test_no_more_than_a_thousand_problems_of_a_set_are_told() -> None:
    fault = outcome(GROWING["faulty"](12))
    assert isinstance(fault, PolicyError)
    assert len(fault.problems) == MAX_SET_PROBLEMS
    told = [one.message for one in fault.problems if "in the set" in one.message]
    assert told == [f"there are more than {MAX_SET_PROBLEMS - 1} problems in the set"]


def test_a_set_tells_fewer_problems_of_each_document_the_fewer_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MAX_SET_PROBLEMS", 5)
    wrong = [table("inputs: {}\noutputs: {}\nrows: []\nx: 1\ny: 2\n", f"t.t{number}") for number in range(4)]
    assert [one.code for one in refused(*wrong)].count("too_many_problems") == 1
    assert len(refused(*wrong)) == 5


def test_pins_of_large_tables_are_held_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    base = table("hit: first\ninputs: {a: {type: integer}}\noutputs: {b: {type: integer}}\n"
                 "rows:\n - {id: x, when: {a: 1}, then: {b: 1}}\n - {id: y, then: {b: 0}}\n")  # fmt: skip
    edit = 'base: {id: t.table, version: ">=1.0"}\n'
    user = [head("overlay", "user.pins", source=None) + edit + "pin: [x, y]\n"]
    added = "insert: [{after: x, row: {id: z, when: {a: 1}, then: {b: 7}}}]\n"
    own = [head("overlay", "repo.more", source=None) + edit + added]
    layered(base, user=user, repository=own)
    monkeypatch.setattr(pins, "MAX_PIN_ROWS", 9)  # two rows and three, for each of two pins
    with pytest.raises(PolicyError, match="more than 9 rows") as caught:
        layered(base, user=user, repository=own)
    assert [one.code for one in caught.value.problems] == ["pin_broken"]


# Faulty rules are read for their faults alone.


def test_nothing_is_proved_of_a_table_with_faulty_rows() -> None:
    broken = table(f"{ONE_TO_ONE}rows: [{{id: x, then: {{b: no-number}}}}]\n")
    assert only_problem(broken).code == "wrong_value"


def test_a_pin_in_a_table_with_faulty_rows_tells_no_more_than_the_fault() -> None:
    base = table("hit: first\ninputs: {a: {type: integer}}\noutputs: {b: {type: integer}, c: {type: integer}}\n"
                 "rows:\n - {id: x, when: {a: 1}, then: {b: 1}}\n - {id: y, then: {b: 0, c: 1}}\n")  # fmt: skip
    edit = 'base: {id: t.table, version: ">=1.0"}\n'
    user = [head("overlay", "user.pins", source=None) + edit + "pin: [y]\n"]
    own = [head("overlay", "repo.more", source=None) + edit + "replace: {y: {then: {b: 1, c: 1}}}\n"]
    with pytest.raises(PolicyError) as caught:
        layered(base, user=user, repository=own)
    assert "missing_key" in [one.code for one in caught.value.problems]


def test_two_overlays_of_a_document_without_a_legal_version_are_no_fault_of_theirs() -> None:
    base = table(f"{ONE_TO_ONE}rows: [{{id: x, then: {{b: 0}}}}]\n")
    edits = [
        head("overlay", f"repo.o{number}", source=None)
        + 'base: {id: t.table, version: ">=1.0"}\n'
        + f"insert: [{{at: start, row: {{id: n{number}, when: {{a: {number}}}, then: {{b: 1}}}}}}]\n"
        for number in range(2)
    ]
    assert [one.code for one in refused(base.replace("1.0.0", "one"), own=edits)] == ["bad_version"]


# Patterns.


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a*)*$", "((a{0,100}){0,100}){0,100}", "(x+x+)+y", "(" * 400 + ")" * 400, "(a|a?)+"),
        *("[^a]{1000}" * 90, "\\pL{900}"),
    ],
)
def test_a_pattern_that_would_be_catastrophic_elsewhere_is_quick_or_refused(pattern: str) -> None:
    text = one_input("{type: text}", "{matches: ['" + pattern + "']}")
    problems_found = refused(text)
    if problems_found:
        assert [one.code for one in problems_found] == ["bad_pattern"]
    else:
        layered(text).table("t.table").decide_all(x="a" * 60_000)


def test_many_patterns_are_refused_before_they_take_minutes() -> None:
    cells = ", ".join(f"'{number}[^a]{{100}}'" for number in range(12_000))
    text = one_input("{type: text}", "{matches: [" + cells + "]}")
    problem = only_problem(text)
    assert problem.code == "bad_pattern"
    assert "too many" in problem.message
    assert MAX_COST == 1_000_000


# Reading and deciding touch nothing.


def test_loading_and_deciding_open_no_file_start_no_process_and_ask_no_network() -> None:
    told = in_child("-c", _WATCHED).split("\n")
    assert told[0].startswith("asked")
    assert told[1:] == [""]


_WATCHED = """
import sys
import anything_support as a, counting_support as c
from toolkit.policy.sets import PolicySet
from toolkit.policy.problems import PolicyError

def ask(seed):
    maker = a.SetMaker(seed)
    sources = maker.sources()
    try:
        made = PolicySet.load(sources, a.SHAPES, templates=a.TEMPLATES, effects=a.EFFECTS)
    except PolicyError:
        return 0
    for name in made.ids:
        made.digest(name)
        if made.entry(name).head.kind == "table":
            table = made.table(name)
            table.get_ready()
            for legal in (True, False):
                try:
                    made.explain(name, c.FactMaker(maker.chance).facts(table.document.inputs, legal=legal))
                except PolicyError:
                    pass
    return 1

for seed in range(150):  # everything is imported
    ask(seed)
seen = set()
QUIET = ("object.", "sys.", "gc.", "builtins.id")  # of the interpreter itself
def watch(event, arguments):
    if not event.startswith(QUIET):
        seen.add(event)
sys.addaudithook(watch)
loaded = sum(ask(seed) for seed in range(1000, 1200))
found = sorted(seen)
print("asked", loaded)
for event in found:
    print(event)
"""

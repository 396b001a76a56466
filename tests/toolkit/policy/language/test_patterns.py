"""Globs and regular expressions: one documented dialect, linear time, the same answer everywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_support import codes, one_input, only_problem, refused, table, the_table

from toolkit.policy.language.patterns import (
    MAX_COST,
    MAX_LINE_BYTES,
    MAX_PATTERN,
    PatternBudget,
    PatternError,
    glob_to_re2,
    has_long_line,
    pattern_test,
)
from toolkit.policy.problems import PolicyError


def glob(pattern: str, path: str, *, ignore_case: bool = False) -> bool:
    return pattern_test("glob", [PatternBudget().compile("glob", pattern, ignore_case)], ignore_case)(path)


def found(pattern: str, text: str, *, ignore_case: bool = False) -> bool:
    return pattern_test("matches", [PatternBudget().compile("matches", pattern, ignore_case)], ignore_case)(text)


@pytest.mark.parametrize(
    ("pattern", "matching", "failing"),
    [
        ("testdata/golden/*", ["testdata/golden/a"], ["testdata/golden/a/b", "testdata/golden", "x/testdata/golden/a"]),
        ("**/*.md", ["a.md", "x/a.md", "x/y/a.md"], ["a.mdx", "md"]),
        ("*.md", ["a.md", ".md"], ["x/a.md"]),
        ("**/auth/**", ["auth/x", "src/auth/x", "src/auth/y/z"], ["auth", "src/Auth/x", "src/authx/y", "xauth/y"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcs/a"]),
        ("src/", ["src/a", "src/a/b"], ["src"]),
        ("/src/*", ["src/a"], ["/src/a", "x/src/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "a/b/c"]),
        ("**", ["a", "a/b", ".a"], [""]),
        ("**/", ["a/b", "a/b/c"], ["a"]),
        ("a/**/", ["a/b/c"], ["a/b", "b/c/d"]),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("a?c", ["abc", "aйc"], ["ac", "abbc", "a/c"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x"]),
        ("[!a-c]x", ["dx", "-x"], ["ax", "/x"]),
        ("[^a]", ["b"], ["a"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[!]a]", ["b"], ["]", "a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[-a]", ["a", "-"], ["b"]),
        ("[a\\-c]", ["a", "-", "c"], ["b"]),
        ("[\\]]", ["]"], ["\\", "a"]),
        ("[+-9]", ["+", ".", "0", "9"], ["/", "a"]),
        ("a[+-9]b", ["a.b", "a0b"], ["a/b"]),
        ("a[!x]b", ["ayb"], ["a/b", "axb"]),
        ("\\*", ["*"], ["a"]),
        ("\\a", ["a"], ["\\a"]),
        ("a.c", ["a.c"], ["abc"]),
        ("(a|b)+", ["(a|b)+"], ["a"]),
        ("^a$", ["^a$"], ["a"]),
        ("a b", ["a b"], ["ab"]),
        (".github/**", [".github/x"], ["github/x"]),
        ("*", [".hidden", "a\nb"], ["a/b"]),
        ("src/*", ["src/line\nbreak.py"], []),
        ("src/**", ["src/line\nbreak.py", "src/\n/x"], []),
        ("файл.*", ["файл.md"], ["file.md"]),
    ],
)
def test_a_glob_is_gitignore_s_anchored_at_the_root(pattern: str, matching: list[str], failing: list[str]) -> None:
    for path in matching:
        assert glob(pattern, path), path
    for path in failing:
        assert not glob(pattern, path), path


def test_case_counts_unless_it_is_said_not_to() -> None:
    assert not glob("**/auth/**", "src/Auth/x")
    assert glob("**/auth/**", "src/Auth/x", ignore_case=True)
    assert glob("[a-c]/ПЛАН", "B/план", ignore_case=True)
    assert not glob("[!a]", "A", ignore_case=True)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "empty"),
        ("/", "empty"),
        ("a//b", "can match no path"),
        ("./a", "can match no path"),
        ("a/../b", "can match no path"),
        ("//a", "can match no path"),
        ("[a", "lacks its ]"),
        ("[", "lacks its ]"),
        ("[!", "lacks its ]"),
        ("[]", "lacks its ]"),
        ("[a\\", "lacks its ]"),
        ("[a/b]", "lacks its ]"),
        ("a\\", "end in a backslash"),
        ("[z-a]", "runs backwards"),
        ("[[:alpha:]]", "named classes"),
        ("a" * (MAX_PATTERN + 1), f"at most {MAX_PATTERN} characters"),
    ],
)
def test_a_glob_that_means_nothing_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        PatternBudget().compile("glob", pattern, False)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    git = shutil.which("git")
    assert git is not None  # nothing here works without
    root = tmp_path_factory.mktemp("repository")
    subprocess.run([git, "init", "--quiet", str(root)], check=True)
    return root


PATHS = ("a", "b", "ab", "a.b", ".a", "a/b", "b/a", "a/b/a", "b/ab/a", "a/a/b", "ab/b", "-", "]/a", "a-", "*", "a/.b")


@pytest.mark.parametrize(
    "pattern",
    [
        *("/a", "/*", "/a*", "/*b", "/?", "/??", "/a/*", "/*/a", "/**/a", "/a/**", "/a/**/b", "/**/b/**", "/*/*/*"),
        *(
            "/[ab]",
            "/[!a]",
            "/[^a]*",
            "/[a-b]*",
            "/a**",
            "/**b",
            "/[]]/*",
            "/[]-]",
            "/\\*",
            "/[+-9]",
            "/[a\\-]*",
            "/.*",
        ),
    ],
)
def test_git_itself_ignores_the_same_paths(repository: Path, pattern: str) -> None:
    # A directory that git ignores takes along what is below it; a glob does not.
    (repository / ".gitignore").write_text(pattern + "\n")
    asked = subprocess.run(
        ["git", "-c", "core.ignorecase=false", "check-ignore", "--no-index", "--stdin", "--verbose", "--non-matching"],
        cwd=repository,
        input="\n".join(PATHS),
        capture_output=True,
        text=True,
        check=False,
    )
    ignored = {line.split("\t")[1] for line in asked.stdout.splitlines() if not line.startswith("::")}
    direct = {path for path in PATHS if glob(pattern, path)}
    below = {path for path in PATHS if any(path.startswith(f"{other}/") for other in _ancestors(direct, pattern))}
    assert direct | below == ignored


def _ancestors(direct: set[str], pattern: str) -> set[str]:
    parents = {"/".join(path.split("/")[:n]) for path in PATHS for n in range(1, path.count("/") + 1)}
    return direct | {parent for parent in parents if glob(pattern, parent)}


# A second reader of the dialect, by backtracking over segments.


def oracle(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return any(oracle(pattern[1:], path[n:]) for n in range(len(path) + 1))
    return bool(path) and segment(pattern[0], path[0]) and oracle(pattern[1:], path[1:])


def segment(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return segment(pattern[1:], name) or (bool(name) and segment(pattern, name[1:]))
    return bool(name) and pattern[0] in ("?", name[0]) and segment(pattern[1:], name[1:])


SEGMENTS = st.text("ab*?.", min_size=1, max_size=4).filter(lambda one: one not in (".", ".."))


@given(
    st.lists(SEGMENTS | st.just("**"), min_size=1, max_size=4),
    st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1, max_size=4),
)
@settings(max_examples=400)
def test_a_glob_agrees_with_a_reader_that_goes_segment_by_segment(pattern: list[str], path: list[str]) -> None:
    assert glob("/".join(pattern), "/".join(path)) is oracle(pattern, path)


@given(st.text("ab[]!^-\\/*?.+()|{}$\n й", max_size=12))
def test_any_glob_is_an_expression_or_a_reason(pattern: str) -> None:
    with suppress(PatternError):
        PatternBudget().compile("glob", pattern, False).search(b"a/b")
        assert glob_to_re2(pattern).startswith(r"(?s)\A")


# Lines.


def test_a_pattern_is_found_in_any_line_and_never_across_two() -> None:
    assert found("^b$", "a\nb\nc")
    assert not found("a.b", "a\nb")
    assert not found("(?s)a.*b", "a\nb")
    assert not found(r"a\sb", "a\nb")
    assert found("^$", "a\n\nb")
    assert found("^$", "")
    assert found(r"\Ab\z", "a\nb\nc")


def test_a_line_that_ends_in_cr_lf_is_the_same_line() -> None:
    assert found("^DROP TABLE$", "x\r\nDROP TABLE\r\ny")
    assert found(r"\ADROP\z", "DROP\r")
    assert not found("^DROP$", "DROP\rTABLE")


def test_case_is_ignored_where_that_is_meant() -> None:
    assert not found("secret", "SECRET")
    assert found("secret", "SECRET", ignore_case=True)
    assert found("ключ", "КЛЮЧ", ignore_case=True)


@pytest.mark.parametrize("pattern", ["(a)\\1", "(?=a)", "(?<!a)b", "a{2000}", "(", "[", "*", "a**", "\\p{Zzz}"])
def test_what_re2_does_not_know_is_refused(pattern: str) -> None:
    assert codes(one_input("{type: text}", f"{{matches: ['{pattern}']}}")) == ["bad_pattern"]


def test_an_empty_pattern_would_be_found_everywhere_and_is_refused() -> None:
    assert "found everywhere" in only_problem(one_input("{type: text}", "{matches: ['']}")).message


def test_a_pattern_is_at_most_a_thousand_characters_long() -> None:
    assert not refused(one_input("{type: text}", f"{{matches: ['{'a' * MAX_PATTERN}']}}"))
    problem = only_problem(one_input("{type: text}", f"{{matches: ['{'a' * (MAX_PATTERN + 1)}']}}"))
    assert f"at most {MAX_PATTERN} characters" in problem.message
    assert len(problem.message) < 400


def test_a_pattern_that_explodes_when_compiled_is_refused() -> None:
    assert codes(one_input("{type: text}", r"{matches: ['(\pL{100}){9}']}")) == ["bad_pattern"]


def test_the_patterns_of_a_set_have_a_budget_together() -> None:
    budget = PatternBudget()
    for number in range(10):
        budget.compile("matches", rf"\pL{{20}}{number}", False)
    assert 0 < budget.left < MAX_COST
    budget.left = 0
    with pytest.raises(PatternError, match="too many, or too large together"):
        budget.compile("matches", "a", False)
    large = "".join(
        rf"  - {{id: r{n}, when: {{x: {{matches: ['\pL{{20}}{n}']}}}}, then: {{y: true}}}}" + "\n" for n in range(60)
    )
    text = "hit: collect\ninputs: {x: {type: text}}\noutputs: {y: {type: boolean}}\nrows:\n" + large
    assert set(codes(table(text), table(text.replace("{20}", "{21}"), "t.other"))) == {"bad_pattern"}


def test_ten_thousand_rows_with_a_glob_each_fit_the_budget() -> None:
    rows = "".join(
        f"  - {{id: r{n}, when: {{x: {{glob: ['src/area-{n}/**']}}}}, then: {{y: true}}}}\n" for n in range(10_000)
    )
    many = the_table(table("hit: first\ninputs: {x: {type: path}}\noutputs: {y: {type: boolean}}\nrows:\n" + rows))
    assert many.decide(x="src/area-9999/x").row == "r9999"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 60_000 + "b"),
        ("^(a|a)*$", "a" * 60_000 + "b"),
        ("(.*)(.*)(.*)(.*)x$", "y" * 60_000),
        ("(x+x+)+y", "x" * 60_000),
    ],
)
def test_a_pattern_that_ruins_a_backtracking_matcher_ends_at_once(pattern: str, text: str) -> None:
    assert not found(pattern, text)


LINED = one_input("{type: text}", "{matches: [needle]}")


@pytest.mark.parametrize("line", ["x" * MAX_LINE_BYTES, "й" * (MAX_LINE_BYTES // 2)])
def test_a_line_of_64_kib_is_searched_and_one_byte_more_is_an_error(line: str) -> None:
    lined = the_table(LINED)
    assert not lined.decide_all(x=f"a\n{line}\nb")
    assert lined.decide_all(x=f"needle\n{line}")
    with pytest.raises(PolicyError) as caught:
        lined.decide_all(x=f"needle\n{line}x")
    assert (caught.value.code, caught.value.exit_status) == ("line_too_long", 2)
    assert "'x'" in caught.value.message


@pytest.mark.parametrize(
    "rows",
    [
        "  - {id: first, when: {n: 1}, then: {y: true}}\n  - {id: r, when: {x: {matches: [a]}}, then: {y: true}}\n",
        "  - {id: r, when: {n: 2, x: {matches: [a]}}, then: {y: true}}\n",
        "  - {id: r, when: {x: {matches: [a]}, n: 2}, then: {y: true}}\n",
        "  - {id: r, when: {any_of: [{n: 1}, {x: {matches: [a]}}]}, then: {y: true}}\n",
        "  - {id: r, when: {n: 2, x: {not: {matches: [a]}}}, then: {y: true}}\n",
    ],
)
def test_whether_a_long_line_is_an_error_hangs_on_no_order_of_rows_or_cells(rows: str) -> None:
    lined = the_table(
        table(
            "hit: first\ninputs: {n: {type: integer}, x: {type: text}}\noutputs: {y: {type: boolean}}\nrows:\n" + rows
        )
    )
    with pytest.raises(PolicyError, match="over 64 KiB"):
        lined.decide(n=1, x="x" * (MAX_LINE_BYTES + 1))


def test_a_text_that_no_pattern_is_asked_of_may_have_lines_of_any_length() -> None:
    long = "x" * (MAX_LINE_BYTES * 4)
    assert the_table(one_input("{type: text}", "{not: a}")).decide_all(x=long)
    assert the_table(one_input("{type: list, items: {type: string}}", "{count: 1}")).decide_all(x=[long])


def test_a_long_line_is_found_in_a_list_and_in_the_record_of_an_item() -> None:
    listed = the_table(one_input("{type: list, items: {type: string}}", "{some: {matches: [a]}}"))
    with pytest.raises(PolicyError, match="over 64 KiB"):
        listed.decide_all(x=["a", "x" * (MAX_LINE_BYTES + 1)])
    each = the_table(
        table(
            "hit: collect\neach: items\n"
            "inputs: {items: {type: list, items: {type: record, fields: {t: {type: text, optional: true}}}}}\n"
            "outputs: {y: {type: boolean}}\nrows:\n"
            "  - {id: r, when: {t: {present: true, matches: [a]}}, then: {y: true}}\n"
        )
    )
    assert len(each.decide_all(items=[{"t": None}, {"t": "a"}])) == 1
    with pytest.raises(PolicyError, match="'t' is over 64 KiB"):
        each.decide_all(items=[{"t": "a"}, {"t": "x" * (MAX_LINE_BYTES + 1)}])


@given(st.lists(st.integers(0, 3), max_size=6))
def test_a_long_line_is_seen_wherever_it_stands(lengths: list[int]) -> None:
    lines = ["й" * (length * MAX_LINE_BYTES // 4) for length in lengths]
    assert has_long_line("\n".join(lines)) is any(length > 2 for length in lengths)


PLAIN = st.text("ab \n\r", max_size=30)


@given(st.text("ab.*?|^$", min_size=1, max_size=6), PLAIN)
def test_lines_agree_with_python_s_own_matcher(pattern: str, text: str) -> None:
    try:
        expected = any(re.search(pattern, line.removesuffix("\r"), re.ASCII) for line in text.split("\n"))
        actual = found(pattern, text)
    except (re.error, PatternError):
        return
    if "$" not in pattern or "\r" not in text:  # Python's $ matches before a last line end, RE2's does not
        assert actual is expected


# Several patterns in one cell, which are joined and asked of all lines at once: it must never show.

PIECES = st.sampled_from(
    ["a", "b", ".", "[^a]", "^", "$", r"\b", r"\B", r"\s", r"\S", "(?i)A", "(?i:a)", "(?:a|b)", "(?P<n>b)", r"\A",
     r"\z", "(?s).", "(?-m)^", r"\Qa", "a*", "(a|)", r"\\A", "\n", r"\n", r"\x0a", r"\r", "é", r"\PL", "[[:space:]]",
     "(?m)$", "|"]
)  # fmt: skip
EXPRESSIONS = st.lists(PIECES, min_size=1, max_size=4).map("".join)
TEXTS_OF_LINES = st.lists(
    st.sampled_from(["a", "b", "A", " ", "\n", "\r", "\r\n", "é", "ab", "\x00", "\\A"]), max_size=8
)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), TEXTS_OF_LINES.map("".join), st.booleans())
@settings(max_examples=800)
def test_patterns_of_one_cell_find_what_each_finds_in_a_line_by_itself(
    expressions: list[str], text: str, ignore_case: bool
) -> None:
    budget, compiled = PatternBudget(), []
    for expression in expressions:
        try:
            compiled.append(budget.compile("matches", expression, ignore_case))
        except PatternError:
            continue
    lines = [line.removesuffix("\r").encode() for line in text.split("\n")]
    expected = any(one.search(line) is not None for one in compiled for line in lines)
    if compiled:
        assert pattern_test("matches", compiled, ignore_case)(text) is expected


@given(st.lists(st.sampled_from(["a/*", "**/b", "A/**", "[ab]/c", "?"]), min_size=1, unique=True), st.booleans())
def test_globs_of_one_cell_match_what_each_matches(globs: list[str], ignore_case: bool) -> None:
    compiled = [PatternBudget().compile("glob", one, ignore_case) for one in globs]
    test = pattern_test("glob", compiled, ignore_case)
    for path in ("a/b", "b", "A/x/y", "a/c", "q", "x/b", "a\nb", "é"):
        assert test(path) is any(one.search(path.encode()) is not None for one in compiled)


def test_a_cell_of_many_patterns_reads_a_text_once() -> None:
    asked: list[bytes] = []
    compiled = [PatternBudget().compile("matches", word, False) for word in ("one", "two", "three")]
    watched = [
        one._replace(search=lambda line, find=one.search: (asked.append(line), find(line))[1]) for one in compiled
    ]
    assert pattern_test("matches", watched, False)("zero\nthree\n")
    assert asked == []  # none of the three was asked by itself

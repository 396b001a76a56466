"""The surface of a plan: what counts as named by it, and what that covers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.covering import Covering, Touched
from verify.documents.rules import DocumentRules
from verify.documents.steps import find_steps
from verify.documents.surface import SurfacePath, SurfaceRules, surface_of
from verify.errors import VerificationUndetermined
from verify.markdown import parse_markdown
from verify.paths import PathRules


def read(text: str, policies: PolicySet) -> tuple[SurfacePath, ...]:
    blocks = parse_markdown(text)
    steps = find_steps(blocks, DocumentRules.from_policy(policies), CriteriaRules.from_policy(policies))
    return surface_of(blocks, steps, SurfaceRules.from_policy(policies), PathRules.from_policy(policies))


def texts(text: str, policies: PolicySet, *, sure: bool = False) -> list[str]:
    return [path.text for path in read(text, policies) if path.sure or not sure]


def covers(written: str, changed: str, policies: PolicySet) -> bool:
    surface = read(f"## Surface\n\n- `{written}`\n", policies)
    return Covering(surface, SurfaceRules.from_policy(policies)).covers([changed])


@pytest.mark.parametrize(
    "heading",
    [
        "Surface",
        "Surface Scan",
        "Component Breakdown",
        "Files",
        "Files to change",
        "Affected files",
        "Затронутые файлы",
        "Поверхность изменений",
    ],
)
def test_inline_code_below_a_heading_of_the_surface_is_in_it(heading: str, policies: PolicySet) -> None:
    plan = f"## {heading}\n\nOnly `src/a.py`, and:\n\n| path |\n| --- |\n| `src/b.py` |\n\n### Rest\n\n- `src/c/`\n"
    assert texts(plan, policies) == ["src/a.py", "src/b.py", "src/c/"]


@pytest.mark.parametrize(
    "plan",
    [
        "## Attack surface\n\n- `src/a.py`\n",
        "## Files\n\n### Not touched\n\n- `src/a.py`\n",
        "## Out of scope\n\n### Files\n\n- `src/a.py`\n",
        "## Notes\n\n- `src/a.py`\n",
        "## Files\n\n```\nsrc/a.py\n```\n\n<!-- `src/a.py` -->\n",
        "## Files\n\nsrc/a.py\n",
    ],
)
def test_what_stands_elsewhere_or_in_no_inline_code_is_not(plan: str, policies: PolicySet) -> None:
    assert read(plan, policies) == ()


def test_the_steps_name_paths_each_with_its_step(policies: PolicySet) -> None:
    plan = "## Steps\n\n1. Write `src/a.py`\n   and `src/b.py:12`.\n2. Run `pytest -q tests/test_a.py`.\n"
    found = [(path.text, path.line, path.step.number if path.step else None) for path in read(plan, policies)]
    assert found == [("src/a.py", 3, "1"), ("src/b.py", 4, "1"), ("tests/test_a.py", 5, "2")]


def test_both_shapes_make_one_surface_and_a_step_in_a_section_of_it_stays_a_step(policies: PolicySet) -> None:
    plan = "## Surface\n\n- `src/a.py`\n\n### Step 1: mend\n\nIt is `src/b.py`.\n"
    found = [(path.text, path.step is not None) for path in read(plan, policies)]
    assert found == [("src/a.py", False), ("src/b.py", True)]


def test_globs_folders_and_doubtful_words_are_told_apart(policies: PolicySet) -> None:
    surface = "## Surface\n\n- `src/**` `src/*.py` `lib/` `bin/tool` `Store` `a.py`\n\n"
    plan = surface + "## Steps\n\n1. Call `f(x)`, pass `*args`, go to `main`.\n"
    found = {path.text: (path.glob, path.sure) for path in read(plan, policies)}
    assert found == {
        "src/**": (True, True),
        "src/*.py": (True, True),
        "lib/": (False, True),
        "bin/tool": (False, False),
        "Store": (False, False),
        "a.py": (False, True),
        "*args": (True, False),
    }


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src/x/../a.py", "src/a.py"),
        ("/src/a.py", "src/a.py"),
        ("src/a.py:42", "src/a.py"),
        ("src/store/", "src/store/deep/a.py"),
        ("src/store", "src/store/a.py"),
        ("src/**", "src/a/b.py"),
        ("src/**/*.py", "src/a.py"),
        ("src/*.py", "src/a.py"),
        ("src/*/", "src/a/deep/b.py"),
        ("src/...", "src/a/b.go"),
        ("**/a.py", "a.py"),
        ("src/{a,b}.py", "src/b.py"),
        ("src/{store,read}/*.py", "src/read/x.py"),
        ("migrations/<timestamp>_add.sql", "migrations/20260101_add.sql"),
        ("migrations/{timestamp}_add.sql", "migrations/20260101_add.sql"),
        ("pages/[id].tsx", "pages/[id].tsx"),
        ("file[0-9].py", "file7.py"),
        ("a.py", "src/a.py"),
        ("Makefile", "sub/Makefile"),
        ("*.md", "docs/a.md"),
        ("docs/a b.md", "docs/a b.md"),
        ("данные/файл.py", "данные/файл.py"),
        ("vendor/sub/src/a.py", "vendor/sub"),
        ("vendor/sub/*.py", "vendor/sub"),
    ],
)
def test_a_path_of_the_surface_covers(written: str, changed: str, policies: PolicySet) -> None:
    assert covers(written, changed, policies)


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("src/a.py", "src/a.pyi"),
        ("src/a.py", "lib/src/a.py"),
        ("src/a.py", "src/A.py"),
        ("src/store/", "src/storehouse/a.py"),
        ("src/*.py", "src/sub/a.py"),
        ("src/*", "src/sub/a.py"),
        ("src/*.py", "src/a.pyc"),
        ("src/?.py", "src/ab.py"),
        ("src/**", "lib/a.py"),
        ("src/{a,b}.py", "src/c.py"),
        ("*.md", "docs/a.mdx"),
        ("b.py", "src/ab.py"),
        ("src/[ab.py", "src/a.py"),
        ("vendor/sub/a.py", "vendor/su"),
        ("vendor/*/a.py", "vendor/sub"),
        ("*.py", "vendor"),
    ],
)
def test_and_nothing_else(written: str, changed: str, policies: PolicySet) -> None:
    assert not covers(written, changed, policies)


def test_a_bare_name_is_short_for_the_longer_path_that_ends_in_it(policies: PolicySet) -> None:
    surface = read("## Surface\n\n- `src/a.py`\n\n## Steps\n\n1. Change `a.py`.\n", policies)
    covering = Covering(surface, SurfaceRules.from_policy(policies))
    assert covering.covers(["src/a.py"])
    assert not covering.covers(["lib/a.py"])


def test_names_that_are_no_utf8_are_matched_all_the_same(policies: PolicySet) -> None:
    assert covers("src/*.py", "src/\udcff.py", policies)
    assert not covers("src/?.md", "src/\udcff.py", policies)


def test_too_many_globs_are_not_judged(policies: PolicySet) -> None:
    rules = SurfaceRules.from_policy(policies)
    globs = " ".join(f"`src/{number}/*.py`" for number in range(rules.most_globs + 1))
    with pytest.raises(VerificationUndetermined) as error:
        Covering(read(f"## Surface\n\n{globs}\n", policies), rules)
    assert error.value.code == "surface_too_large"


def test_alternatives_that_multiply_are_read_as_text(policies: PolicySet) -> None:
    assert not covers("src/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}.py", "src/aaaaaaa.py", policies)
    assert covers("src/{a,b}{a,b}.py", "src/ab.py", policies)


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("src/", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("src/*.py", "src/a.py"),
        ("a.py", "src/a.py"),
        ("sub/a.py", "sub"),
    ],
)
def test_a_path_is_touched_by_a_change_of_it_below_it_or_of_the_submodule_around_it(
    written: str, changed: str, policies: PolicySet
) -> None:
    (path, *_) = read(f"## Files\n\n- `{written}`\n", policies)
    assert Touched([[changed]], SurfaceRules.from_policy(policies)).holds(path)
    assert not Touched([["other/b.py"]], SurfaceRules.from_policy(policies)).holds(path)


@given(st.text(alphabet="ab/.*?[]{},<>!-\\ `#\n", max_size=60), st.text(alphabet="ab/.", min_size=1, max_size=12))
def test_any_text_has_an_answer(policies: PolicySet, written: str, changed: str) -> None:
    for plan in (f"## Surface\n\n- `{written}`\n", f"## Steps\n\n1. `{written}`\n"):
        surface = read(plan, policies)
        rules = SurfaceRules.from_policy(policies)
        assert Covering(surface, rules).covers([changed]) in (True, False)
        for path in surface:
            assert Touched([[changed]], rules).holds(path) in (True, False)

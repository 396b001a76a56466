"""Whether a quotation stands in its file, on real files, links, pipes and permissions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.quotes import QuoteChecker
from verify.task import Workspace
from verify.terms import DISPATCH, FLOOR

LIMITS = FindingLimits(200, 8, "[truncated]", 500, source_max_bytes=4096)
PLAN = """# Plan

1. Rename the table
   and keep the view.
2. Roll back by hand.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "work"
    (root / "datarim" / "plans").mkdir(parents=True)
    (root / "datarim" / "plans" / "T-plan.md").write_text(PLAN, encoding="utf-8")
    (root / "notes.md").write_text("first line of notes\nsecond line of notes\n", encoding="utf-8")
    (tmp_path / "outside.md").write_text("first line of notes\n", encoding="utf-8")
    return Workspace(root=root, datarim=root / "datarim")


@pytest.fixture
def checker(workspace: Workspace) -> QuoteChecker:
    return QuoteChecker(workspace, LIMITS, {"T-plan.md": workspace.datarim / "plans" / "T-plan.md"})


def test_the_limits_come_from_the_policies(policies: PolicySet) -> None:
    limits = FindingLimits.from_policy(policies)
    assert limits.excerpt_min == 8
    assert limits.excerpt_suffix == "[truncated]"


@pytest.mark.parametrize("source", ["notes.md:2", "notes.md:1-2", "notes.md", "./notes.md:2", "notes.md:2:7"])
def test_a_quote_on_the_cited_line_is_true_without_a_word(checker: QuoteChecker, source: str) -> None:
    assert checker.check(source, "second line of notes", DISPATCH) == (True, None)


@pytest.mark.parametrize("source", ["datarim/plans/T-plan.md:5", "plans/T-plan.md:5", "T-plan.md:5"])
def test_a_path_may_start_at_the_root_or_at_datarim_or_be_an_artifacts_bare_name(
    checker: QuoteChecker, source: str
) -> None:
    assert checker.check(source, "Roll back by hand.", DISPATCH) == (True, None)


def test_an_absolute_path_inside_the_workspace_is_a_path_like_any(checker: QuoteChecker, workspace: Workspace) -> None:
    assert checker.check(f"{workspace.root}/notes.md:1", "first line of notes", DISPATCH) == (True, None)


def test_a_quote_on_another_line_is_true_and_the_line_is_told(checker: QuoteChecker) -> None:
    found, diagnostic = checker.check("notes.md:1", "second line of notes", DISPATCH)
    assert found is True
    assert diagnostic is not None
    assert "line 2" in diagnostic


@pytest.mark.parametrize(
    "excerpt",
    [
        "Rename the table and keep the view.",
        "Rename the table\nand keep the view.",
        "Rename  the\ttable\r\n      and keep the view.  ",
        "1. Rename the table\n   and keep the view.\n2. Roll back",
    ],
)
def test_runs_of_white_space_are_equal_line_breaks_included(checker: QuoteChecker, excerpt: str) -> None:
    assert checker.check("plans/T-plan.md:3", excerpt, DISPATCH) == (True, None)


def test_a_quote_whose_second_line_is_invented_is_false(checker: QuoteChecker) -> None:
    found, diagnostic = checker.check("plans/T-plan.md:3", "Rename the table\nand drop the view.", DISPATCH)
    assert found is False
    assert diagnostic is not None
    assert "invented" in diagnostic
    assert "plans/T-plan.md" in diagnostic


def test_a_quote_that_was_cut_is_compared_without_its_suffix(checker: QuoteChecker) -> None:
    assert checker.check("plans/T-plan.md:3", "Rename the tab[truncated]", DISPATCH) == (True, None)
    assert checker.check("plans/T-plan.md:3", "Rename the row[truncated]", DISPATCH)[0] is False


def test_a_suffix_that_stands_in_the_file_itself_is_part_of_the_quote(
    checker: QuoteChecker, workspace: Workspace
) -> None:
    (workspace.root / "cut.md").write_text("a log line [truncated]\n", encoding="utf-8")
    assert checker.check("cut.md:1", "a log line [truncated]", DISPATCH) == (True, None)


@pytest.mark.parametrize("excerpt", ["", "   ", "s", "notes", "no[truncated]", "[truncated]"])
def test_a_quote_that_is_too_short_proves_nothing(checker: QuoteChecker, excerpt: str) -> None:
    found, diagnostic = checker.check("notes.md:1", excerpt, DISPATCH)
    assert found is None
    assert diagnostic is not None
    assert "8 characters" in diagnostic


def test_the_floor_may_quote_a_word_where_it_stands(checker: QuoteChecker) -> None:
    assert checker.check("notes.md:2", "notes", FLOOR) == (True, None)
    assert checker.check("notes.md:3", "notes", FLOOR)[0] is False
    assert checker.check("notes.md", "notes", FLOOR)[0] is False
    assert checker.check("notes.md:1", "Notes", FLOOR)[0] is False


@pytest.mark.parametrize("excerpt", ["-- a line with dashes", "-rf is what it says", ".*.*.*.*.*", "(((((((((("])
def test_a_quote_is_text_and_neither_an_option_nor_a_pattern(
    checker: QuoteChecker, workspace: Workspace, excerpt: str
) -> None:
    (workspace.root / "odd.md").write_text(f"x {excerpt} x\n", encoding="utf-8")
    assert checker.check("odd.md:1", excerpt, DISPATCH) == (True, None)
    assert checker.check("notes.md:1", excerpt, DISPATCH)[0] is False


def test_a_missing_file_makes_the_quote_false(checker: QuoteChecker) -> None:
    found, diagnostic = checker.check("none.md:1", "first line of notes", DISPATCH)
    assert found is False
    assert diagnostic is not None
    assert "does not exist" in diagnostic


@pytest.mark.parametrize("source", ["../outside.md:1", "datarim/../../outside.md:1", "/etc/passwd:1", "a/../../../x:1"])
def test_a_path_that_leaves_the_workspace_is_not_read(checker: QuoteChecker, source: str) -> None:
    found, diagnostic = checker.check(source, "first line of notes", DISPATCH)
    assert found is None
    assert diagnostic is not None
    assert "leaves the workspace" in diagnostic


def test_a_link_out_of_the_workspace_is_not_followed(checker: QuoteChecker, workspace: Workspace) -> None:
    (workspace.root / "link.md").symlink_to("../outside.md")
    (workspace.root / "up").symlink_to("..")
    for source in ("link.md:1", "up/outside.md:1"):
        found, diagnostic = checker.check(source, "first line of notes", DISPATCH)
        assert found is None
        assert diagnostic is not None
        assert "link" in diagnostic


def test_a_link_inside_the_workspace_is_followed(checker: QuoteChecker, workspace: Workspace) -> None:
    (workspace.root / "link.md").symlink_to("notes.md")
    assert checker.check("link.md:1", "first line of notes", DISPATCH) == (True, None)


def test_a_workspace_that_is_reached_through_a_link_is_a_workspace(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(workspace.root)
    alias = Workspace(root=tmp_path / "alias", datarim=tmp_path / "alias" / "datarim")
    checker = QuoteChecker(alias, LIMITS)
    for source in ("notes.md:1", f"{tmp_path}/alias/notes.md:1", f"{workspace.root}/notes.md:1"):
        assert checker.check(source, "first line of notes", DISPATCH) == (True, None)


def test_what_is_no_plain_file_is_unchecked_and_nothing_hangs(checker: QuoteChecker, workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    (workspace.root / "loop").symlink_to("loop")
    (workspace.root / "large").write_bytes(b"first line of notes\n" * 1000)
    for source in ("pipe:1", "datarim:1", "loop:1", "large:1", "a\0b:1", "\ud800:1", "x" * 300):
        found, diagnostic = checker.check(source, "first line of notes", DISPATCH)
        assert found is None, source
        assert diagnostic, source


def test_a_device_is_not_read_even_where_it_is_an_artifact(workspace: Workspace) -> None:
    checker = QuoteChecker(workspace, LIMITS, {"zero": Path("/dev/zero")})
    assert checker.check("zero:1", "first line of notes", DISPATCH)[0] is None


def test_bytes_that_are_no_utf_8_prove_a_quote_but_do_not_disprove_one(
    checker: QuoteChecker, workspace: Workspace
) -> None:
    (workspace.root / "latin.md").write_bytes(b"caf\xe9 with a plain line\nnothing else\n")
    assert checker.check("latin.md:1", "with a plain line", DISPATCH) == (True, None)
    assert checker.check("latin.md:1", "caf\ufffd with a plain", DISPATCH) == (True, None)
    found, diagnostic = checker.check("latin.md:1", "café with a plain line", DISPATCH)
    assert found is None
    assert diagnostic is not None
    assert "UTF-8" in diagnostic


def test_a_byte_order_mark_and_other_line_endings_change_no_line(checker: QuoteChecker, workspace: Workspace) -> None:
    (workspace.root / "mac.md").write_bytes(b"\xef\xbb\xbfone\rtwo\r\n\x0cthree\x0b\nfour\n")
    assert checker.check("mac.md:1", "one", FLOOR) == (True, None)
    assert checker.check("mac.md:4", "four", FLOOR) == (True, None)
    assert checker.check("mac.md:1-4", "one two three four", DISPATCH) == (True, None)


def test_a_name_that_ends_in_a_colon_and_digits_is_a_name(checker: QuoteChecker, workspace: Workspace) -> None:
    (workspace.root / "odd:7").write_text("first line of notes\n", encoding="utf-8")
    assert checker.check("odd:7", "first line of notes", DISPATCH) == (True, None)


def test_a_file_is_read_once(checker: QuoteChecker, workspace: Workspace) -> None:
    assert checker.check("notes.md:1", "first line of notes", DISPATCH)[0] is True
    (workspace.root / "notes.md").write_text("all new\n", encoding="utf-8")
    assert checker.check("./notes.md:1", "first line of notes", DISPATCH)[0] is True


@pytest.mark.parametrize(
    ("reference", "located"),
    [
        ("T-plan.md:3", "datarim/plans/T-plan.md:3"),
        ("plans/T-plan.md:3", "datarim/plans/T-plan.md:3"),
        ("./notes.md:03", "notes.md:3"),
        ("./notes.md:3-5", "notes.md:3-5"),
        ("notes.md", "notes.md"),
        ("none.md:3", "none.md:3"),
        ("../outside.md:3", "../outside.md:3"),
    ],
)
def test_a_reference_is_located_where_it_names_a_file(checker: QuoteChecker, reference: str, located: str) -> None:
    assert checker.locate(reference) == located


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A directory that any user can reach, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def test_a_file_without_the_right_to_read_is_unchecked(reachable: Path) -> None:
    (reachable / "datarim").mkdir()
    (reachable / "closed.md").write_text("first line of notes\n", encoding="utf-8")
    (reachable / "closed.md").chmod(0)
    script = """
import os, sys
from pathlib import Path
from toolkit.errors import StorageError
from verify.evidence import FindingLimits
from verify.quotes import QuoteChecker
from verify.task import Workspace
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
root = Path(sys.argv[1])
checker = QuoteChecker(Workspace(root=root, datarim=root / "datarim"), FindingLimits(200, 8, "[truncated]", 500, 4096))
print(checker.check("closed.md:1", "first line of notes", "dispatch"))
"""
    done = subprocess.run([sys.executable, "-c", script, str(reachable)], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("(None, 'the quote could not be looked up: closed.md could not be read"), done.stderr


def test_a_quote_is_looked_up_in_what_was_judged_and_not_in_what_stands_there_now(workspace: Workspace) -> None:
    judged = "the line that was judged\n"
    checker = QuoteChecker(workspace, LIMITS, held={"notes.md": judged})
    assert checker.check("notes.md:1", "the line that was judged", DISPATCH) == (True, None)
    found, diagnostic = checker.check("notes.md:1", "first line of notes", DISPATCH)
    assert (found, diagnostic) == (False, "the quote was not found in notes.md: it may be invented")

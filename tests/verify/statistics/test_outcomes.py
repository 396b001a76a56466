"""Archives as outcomes: where an outcome may stand, what it may say, and what is told of one that can't be used."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.audit.front_matter import Bounds
from verify.errors import WorkspaceError
from verify.statistics.outcomes import Outcomes, read_outcomes
from verify.statistics.rules import StatisticsRules

Archive = Callable[..., Path]
Read = Callable[[], Outcomes]

BLOCK = "verification_outcome:\n  caught_by_verify: 2\n  missed_by_verify: 1\n  false_positive: 3\n"
DATED = "completed_date: 2026-08-02\n"


def counts(read: Outcomes) -> list[tuple[int, int, int]]:
    assert (read.uncounted, read.problems) == ((), ())
    return [(one.caught, one.missed, one.false_positive) for one in read.counted]


@pytest.mark.parametrize(
    "front",
    [
        f"id: X\n{DATED}{BLOCK}",
        f"{DATED}{BLOCK}  n_a: false\n  dogfood_window: w-1\nlessons: [a, b]\n",
        "verification_outcome: {caught_by_verify: 2, missed_by_verify: 1, false_positive: 3}  # flow\n",
        '"verification_outcome":\n    "caught_by_verify": 2 # two\n    missed_by_verify: 1\n    false_positive: 3\n',
    ],
)
def test_an_outcome_stands_in_the_front_matter(front: str, archive: Archive, outcomes: Read) -> None:
    archive(front)
    assert counts(outcomes()) == [(2, 1, 3)]


FENCE = "```yaml\n{}```\n"
FLOW = "{caught_by_verify: 2, missed_by_verify: 1, false_positive: 3}"
BARE = "caught_by_verify: 2\nmissed_by_verify: 1\nfalse_positive: 3\n"


@pytest.mark.parametrize(
    "body",
    [
        "# A\n\n" + FENCE.format(BLOCK),
        "# A\n\n- item\n\n  ```yml\n  verification_outcome: " + FLOW + "\n  ```\n",
        "# A\n\n### verification_outcome\n\n" + FENCE.format(BARE),
        "# A\n\n### `verification_outcome`\n\n- caught_by_verify: 2\n- missed_by_verify: 1\n- false_positive: 3\n",
        "## Verification outcome\n\n- **`caught_by_verify`:** 2\n- **missed_by_verify**: 1\n* `false_positive`: `3`\n",
        "## Verification outcome\n\n" + BARE + "\n## Next\n\n- caught_by_verify: 9\n",
        "# A\n\n" + FENCE.format(BLOCK) + "\n## Verification outcome\n\n" + FENCE.format(BARE),
    ],
)
@pytest.mark.parametrize("front", [None, DATED])
def test_else_an_outcome_stands_in_the_body(front: str | None, body: str, archive: Archive, outcomes: Read) -> None:
    archive(front, body)
    assert counts(outcomes()) == [(2, 1, 3)]


def test_the_body_is_not_asked_again_for_what_the_front_matter_says(archive: Archive, outcomes: Read) -> None:
    archive(DATED + BLOCK, "# A\n\n### verification_outcome\n\n- caught_by_verify: 7\n")
    assert counts(outcomes()) == [(2, 1, 3)]


@pytest.mark.parametrize(
    "body",
    [
        "# A\n\nThe verification_outcome is good.\n",
        "# A\n\n<!-- verification_outcome: caught_by_verify: 5 -->\n",
        "# A\n\n```sh\necho verification_outcome: caught_by_verify: 5\n```\n",
        "# A\n\n- caught_by_verify: 5\n",
        "# A\n\n## The verification outcome of others\n\n- caught_by_verify: 5\n",
    ],
)
def test_words_about_outcomes_are_none(body: str, archive: Archive, outcomes: Read) -> None:
    archive(DATED, body)
    read = outcomes()
    assert counts(read) == []
    assert read.silent == 1


def test_a_counter_that_is_left_out_is_nothing_counted(archive: Archive, outcomes: Read) -> None:
    archive("verification_outcome:\n  caught_by_verify: 4\n")
    assert counts(outcomes()) == [(4, 0, 0)]


@pytest.mark.parametrize(
    ("said", "verified"),
    [("true", False), ("yes", False), ("True", False), ("'1'", False), ("false", True), ("no", True), ("", True)],
)
def test_an_archive_may_say_that_nothing_was_verified(
    said: str, verified: bool, archive: Archive, outcomes: Read
) -> None:
    archive(f"verification_outcome:\n  caught_by_verify: 0\n  n_a: {said}\n")
    assert [one.verified for one in outcomes().counted] == [verified]


@pytest.mark.parametrize(
    ("front", "line", "code"),
    [
        ("verification_outcome:\n  caught_by_verify: two\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: 1\n  false_positive: -1\n", 4, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: 1.0\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: '1'\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: true\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify:\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: 1000000000000\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: [1]\n", 3, "bad_figure"),
        ("verification_outcome: 3\n", 2, "bad_figure"),
        ("verification_outcome: {}\n", 2, "bad_figure"),
        ("id: X\nverification_outcome:\n", 3, "bad_figure"),
        ("verification_outcome:\n  n_a: perhaps\n", 3, "bad_figure"),
        ("verification_outcome:\n  caught_by_verify: 1\n  n_a: true\n", 4, "contradiction"),
        (f"{BLOCK}completed_date: soon\n", 6, "bad_date"),
        (f"date: 2026-99-01\n{BLOCK}", 2, "bad_date"),
    ],
)
def test_a_figure_or_a_date_that_is_none_is_a_problem_with_its_line(
    front: str, line: int, code: str, archive: Archive, outcomes: Read
) -> None:
    path = archive(front)
    read = outcomes()
    assert (read.counted, read.uncounted) == ((), ())
    (problem,) = read.problems
    assert (problem.code, problem.mark.line) == (code, line)
    assert problem.mark.file == f"documentation/archive/framework/{path.name}"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("# A\n\n" + FENCE.format(BLOCK) + "\n" + FENCE.format(BLOCK.replace("2", "9")), 10),
        ("## Verification outcome\n\n- caught_by_verify: 1\n- caught_by_verify: 2\n", 4),
    ],
)
def test_a_body_with_two_outcomes_is_a_contradiction(body: str, line: int, archive: Archive, outcomes: Read) -> None:
    archive(None, body)
    (problem,) = outcomes().problems
    assert (problem.code, problem.mark.line) == ("contradiction", line)


@pytest.mark.parametrize("value", ["many", "-1", "٣", "9" * 400, ""])
def test_a_line_of_the_body_that_counts_nothing_is_a_problem(value: str, archive: Archive, outcomes: Read) -> None:
    archive(None, f"## Verification outcome\n\n- missed_by_verify: 1\n- caught_by_verify: {value}\n")
    (problem,) = outcomes().problems
    assert (problem.code, problem.mark.line) == ("bad_figure", 4)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"---\n{BLOCK}".encode(), "front_matter"),
        (b"---\nverification_outcome: [\n---\n", "front_matter"),
        (f"---\n{BLOCK}{BLOCK}---\n".encode(), "front_matter"),
        (f"---\nx: &a 1\n{BLOCK}---\n".encode(), "front_matter"),
        (b"---\nverification_outcome: {caught_by_verify: 1, caught_by_verify: 2}\n---\n", "not_yaml"),
        (b"```yaml\nverification_outcome: [\n```\n", "not_yaml"),
        (b"---\nverification_outcome:\n  caught_by_verify: 1 # \xff\n---\n", "invalid_utf8"),
        (b"# A\n" + b"x" * 2_000_000, "too_large"),
    ],
)
def test_an_archive_that_cannot_be_read_is_named_and_not_counted(
    text: bytes, code: str, archive: Archive, outcomes: Read
) -> None:
    path = archive("")
    path.write_bytes(text)
    read = outcomes()
    assert (read.counted, read.problems) == ((), ())
    assert [(one.path, one.code) for one in read.uncounted] == [(f"documentation/archive/framework/{path.name}", code)]


def test_links_are_not_followed(archive: Archive, outcomes: Read, tmp_path: Path) -> None:
    inside = archive(DATED + BLOCK)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "archive-OUT-0001.md").write_text(f"---\n{BLOCK}---\n")
    (inside.parent / "archive-LNK-0001.md").symlink_to(tmp_path / "outside" / "archive-OUT-0001.md")
    (inside.parent.parent / "linked").symlink_to(tmp_path / "outside")
    read = outcomes()
    assert len(read.counted) == 1
    assert [one.code for one in read.uncounted] == ["is_symlink"]


def test_archives_of_every_area_are_read_and_nothing_else(archive: Archive, outcomes: Read) -> None:
    for area in ("framework", "infra", "deep/er", "."):
        archive(DATED + BLOCK, area=area)
    folder = archive(DATED + BLOCK).parent
    (folder / "reflection-ARC-0001.md").write_text(f"---\n{BLOCK}---\n")
    (folder / "archive-notes.txt").write_text(f"---\n{BLOCK}---\n")
    assert len(outcomes().counted) == 5


def test_the_first_date_key_that_says_anything_decides(archive: Archive, outcomes: Read) -> None:
    path = archive(f"date: 2026-01-01\narchived_at: 2026-02-02T23:30:00-01:00\ncompleted_date:\n{BLOCK}")
    archive(BLOCK)
    os.utime(path, (0, 0))
    assert [one.day for one in outcomes().counted] == [date(2026, 2, 3), None]


def test_windows_line_endings_change_nothing(archive: Archive, outcomes: Read) -> None:
    path = archive(DATED + BLOCK)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert counts(outcomes()) == [(2, 1, 3)]


def test_more_archives_than_the_policy_allows_are_refused(
    archive: Archive, rules: StatisticsRules, policies: PolicySet, tmp_path: Path
) -> None:
    for _ in range(3):
        archive(DATED + BLOCK)
    few = rules.archives._replace(max_files=2)
    with pytest.raises(WorkspaceError, match="more than 2 archives"):
        read_outcomes(tmp_path / "documentation", "documentation", few, Bounds.from_policy(policies))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(front=st.text(max_size=200), body=st.text(max_size=200))
def test_any_text_is_counted_or_told_of(front: str, body: str, archive: Archive, outcomes: Read) -> None:
    path = archive("")
    path.write_bytes(f"---\n{front}\nverification_outcome: 1\n---\n{body}".encode("utf-8", "replace"))
    read = outcomes()
    told = (*read.problems, *read.uncounted)
    path.unlink()
    assert len(told) + len(read.counted) + read.silent == 1


def test_the_archive_of_a_task_in_two_folders_counts_once(archive: Archive, outcomes: Read) -> None:
    path = archive(f"{DATED}{BLOCK}")
    archive(None)
    copy = path.parents[1] / "web" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    read = outcomes()
    assert (len(read.counted), read.silent) == (1, 1)
    assert [(one.path, one.code) for one in read.uncounted] == [
        (f"documentation/archive/web/{path.name}", "duplicate_archive")
    ]

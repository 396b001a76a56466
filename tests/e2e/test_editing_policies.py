"""The six commands of docs/policies.md, run as they are written, where there are no policies yet."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from repository_support import Repository

PAGE = Path(__file__).resolve().parents[2] / "docs" / "policies.md"
SECTION = re.compile(r"^## Edit a policy in six commands\n(.*?)^## ", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Ran(NamedTuple):
    """A command of the page, its status, and what it printed."""

    command: str
    status: int
    printed: str


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The work tree of somebody who has never used policies."""
    made = Repository(tmp_path / "shop")
    made.commit("A shop", {"billing/terms.md": "# Terms\n", "src/shop.py": "print('open')\n"})
    return made.path


def blocks() -> list[tuple[str, str]]:
    section = SECTION.search(PAGE.read_text("utf-8"))
    assert section is not None
    return BLOCK.findall(section[1])


def follow(work: Path, environment: dict[str, str]) -> Iterator[tuple[Ran, str]]:
    """Do what the page says, in order: each command, with the output that the page shows of it (empty: none)."""
    ran: list[Ran] = []
    for language, text in blocks():
        if language == "yaml":
            name = re.match(r"# (\.dr/\S+)\n", text)
            assert name is not None, text
            (work / name[1]).write_text(text, "utf-8")
        elif language == "sh":
            yield from ((one, "") for one in ran)
            ran = [typed(line, work, environment) for line in text.splitlines()]
        else:
            assert language == "text"
            yield from ((one, "") for one in ran[:-1])
            yield ran[-1], text
            ran = []
    yield from ((one, "") for one in ran)


def typed(line: str, work: Path, environment: dict[str, str]) -> Ran:
    path = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=work,
        env={**environment, "PATH": path, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ran(line, done.returncode, done.stdout + done.stderr)


def test_the_six_commands_of_the_page_do_what_it_says(work: Path, environment: dict[str, str]) -> None:
    followed = list(follow(work, environment))
    assert [one.command.split()[1] for one, _ in followed] == ["init", "check", "test", "diff", "lock", "explain"]
    for ran, shown in followed:
        assert ran.status == 0, ran
        assert_shown(shown, ran.printed)
    assert (work / ".dr/policy.lock").is_file()


def assert_shown(shown: str, printed: str) -> None:
    """Every line that the page shows was printed, in this order; what it leaves out ends in an ellipsis."""
    lines = iter(printed.splitlines())
    for line in shown.splitlines():
        if line.strip() not in ("", "…"):
            wanted = line.removesuffix("…")
            assert any(text == line or (wanted != line and text.startswith(wanted)) for text in lines), (line, printed)


def test_the_diff_names_both_edits_their_direction_and_nothing_else(work: Path, environment: dict[str, str]) -> None:
    ran = {one.command.split()[1]: one for one, _ in follow(work, environment)}
    printed = ran["diff"].printed
    assert "weaker" in printed
    assert "large-change" in printed
    assert "billing" in printed
    assert "verify." not in printed
    forbidden = typed("dr-policy diff --from HEAD --forbid-weaker", work, environment)
    assert forbidden.status == 1

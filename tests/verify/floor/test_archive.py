"""The archive's claims against a real repository: what does not hold is high, what nobody can tell is no finding."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from drift_repositories import TASK, Commit, Files, build

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.floor.archive.claimed import archive_claim
from verify.floor.check import CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import COULD_NOT_RUN, FLOOR, NOTHING_TO_RUN, RAN

ARCHIVE = f"documentation/archive/features/archive-{TASK}.md"
DESCRIPTION = f"datarim/tasks/{TASK}-task-description.md"
LOG = "datarim/qa/run.log"


@dataclass
class Archived:
    """A repository of three commits, and what its archive document is checked to claim."""

    root: Path
    policies: PolicySet
    hashes: list[str]

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def check(self, text: str, *, root: Path | None = None) -> CheckResult:
        self.write(ARCHIVE, text)
        return run(root or self.root, self.policies)

    def fault(self, text: str) -> str:
        """What the one finding about ``text`` suggests; it is high, and quotes the last line of the text."""
        result = self.check(f"# Archive\n\n{text}\n")
        assert result.status == RAN, result.detail
        (finding,) = result.findings
        assert (finding.severity, finding.category) == ("high", "correctness")
        assert finding.artifact_ref == finding.evidence.source
        assert finding.evidence.excerpt == text.rpartition("\n")[2]
        task = load_task(find_workspace(self.root), TASK, self.policies)
        quotes = QuoteChecker(task.workspace, FindingLimits.from_policy(self.policies))
        assert quotes.check(finding.artifact_ref, finding.evidence.excerpt, FLOOR)[0] is True
        return finding.suggested_fix or ""

    def holds(self, text: str) -> bool:
        """Whether nothing is found in ``text``, although it was looked at."""
        result = self.check(f"# Archive\n\n{text}\n")
        assert result.status in (RAN, NOTHING_TO_RUN), result.detail
        return result.findings == ()


def run(root: Path, policies: PolicySet) -> CheckResult:
    context = FloorContext(load_task(find_workspace(root), TASK, policies), "archive", policies)
    entry = next(it for it in FloorPlan.from_policy(policies).at("archive") if it.uses == "archive_claim")
    return archive_claim(entry, context)


COMMITS: list[tuple[str, Files]] = [
    ("start", {DESCRIPTION: "# Task\n", "src/a.py": "0\n"}),
    (f"{TASK}: work", {"src/a.py": "1\n", "src/deep/b.py": "1\n"}),
    ("other", {"docs/x.md": "x\n"}),
]


@pytest.fixture
def archived(tmp_path: Path, policies: PolicySet) -> Archived:
    hashes = build(tmp_path, [Commit(message, files) for message, files in COMMITS])
    return Archived(tmp_path, policies, hashes)


def test_a_commit_that_does_not_exist_is_found(archived: Archived) -> None:
    for text in ("Landed as `deadbeef12`.", "Landed in commit deadbee.", f"Landed as `{'1a' * 20}`, merged."):
        assert "There is no commit" in archived.fault(text)


def test_a_commit_that_exists_holds_in_any_spelling(archived: Archived) -> None:
    oid = archived.hashes[1]
    assert archived.holds(f"Landed as commit {oid[:7]}, that is `{oid}` or commit `{oid[:12].upper()}`.")


def test_a_commit_has_to_touch_the_path_of_its_sentence(archived: Archived) -> None:
    first, work, other = (oid[:12] for oid in archived.hashes)
    fix = archived.fault(f"Commit {work} writes `docs/x.md`.")
    assert fix.startswith(f"{work} touched src/a.py, src/deep/b.py, and not docs/x.md")
    assert "and not src/a.py" in archived.fault(
        f"| `{other}` | `src/a.py` |\n| --- | --- |\n| `{other}` | `src/a.py` |"
    )
    for text in (f"`{work}` writes `src/a.py`.", f"`{work}` fills `src/deep/`.", f"`{first}` begins `src/a.py`."):
        assert archived.holds(text)
    assert archived.holds(f"`{work}` writes `src/a.py` as `docs/x.md` says, and `{other}` is `docs/x.md`.")
    assert archived.holds(f"`{work}` was checked with `docs/x.md`.")


def test_a_merge_touched_what_it_brought(tmp_path: Path, policies: PolicySet) -> None:
    build(tmp_path, [Commit(message, files) for message, files in COMMITS])
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@e"]
    for arguments in (["reset", "-q"], ["branch", "side", "HEAD~1"], ["checkout", "-q", "side"]):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "src/side.py").write_text("1\n")
    subprocess.run([*git, "add", "src/side.py"], cwd=tmp_path, check=True)
    subprocess.run([*git, "commit", "-qm", "side"], cwd=tmp_path, check=True)
    subprocess.run([*git, "checkout", "-q", "main"], cwd=tmp_path, check=True)
    subprocess.run([*git, "merge", "-q", "--no-ff", "-m", "merge", "side"], cwd=tmp_path, check=True)
    oid = subprocess.run(
        [*git, "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.strip()
    archived = Archived(tmp_path, policies, [oid])
    assert archived.holds(f"Commit `{oid[:12]}` brings `src/side.py`.")
    assert "and not src/a.py" in archived.fault(f"Commit `{oid[:12]}` brings `src/a.py`.")


@pytest.mark.parametrize(
    "text",
    [
        "There were `1234567` rows and `12345e67` more.",
        f"The checksum is `{'1a' * 20}`, the digest `sha256:{'1a' * 32}`.",
        "The colour is `#aabbccd`, the id `550e8400-e29b-41d4-a716-446655440000`.",
        "On 2024-11-30 we commit 1000000 rows.",
        "The fix of the upstream repository is `deadbeef12`.",
        "See [`deadbeef12`](https://example.org/other/commit/deadbeef12).",
    ],
)
def test_what_may_be_something_else_is_no_finding(text: str, archived: Archived) -> None:
    assert archived.holds(text)


def test_a_commit_of_a_nested_repository_exists(archived: Archived) -> None:
    nested = archived.root / "code/tool"
    (oid,) = build(nested, [Commit("x", {"y.py": "1\n"})])
    assert archived.holds(f"Commit `{oid[:12]}` changes `y.py`.")
    assert "There is no commit" in archived.fault("Commit `deadbeef12` changes `y.py`.")


def test_a_shallow_clone_can_t_tell_and_finds_nothing(
    archived: Archived, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = tmp_path_factory.mktemp("clones") / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", archived.root.as_uri(), str(clone)], check=True, capture_output=True
    )
    shallow = Archived(clone, archived.policies, archived.hashes)
    result = shallow.check("Landed as commit deadbee. 12 passed (`gone.log`). There were `1234567` rows.\n")
    assert result.status == COULD_NOT_RUN
    assert "shallow" in result.detail
    (finding,) = result.findings
    assert (finding.suggested_fix or "").startswith("gone.log does not exist")


def test_without_git_commits_are_not_judged_and_figures_are(tmp_path: Path, policies: PolicySet) -> None:
    archived = Archived(tmp_path, policies, [])
    archived.write(DESCRIPTION, "# Task\n")
    result = archived.check("Landed as commit deadbee. 12 passed (`gone.log`).\n")
    assert (result.status, len(result.findings)) == (COULD_NOT_RUN, 1)
    assert "no_repository" in result.detail


def test_a_figure_has_to_stand_in_its_output(archived: Archived) -> None:
    archived.write(
        LOG, "collected 11 items\n===== 11 passed in 0.12s =====\ncoverage 93.46%\np95 0.042 s\nv12, 1,234 rows\n"
    )
    assert archived.fault(f"12 passed (`{LOG}`)").endswith("cite the output that shows it.")
    assert f'{LOG}:2 "===== 11 passed in 0.12s ====="' in archived.fault(f"12 passed (`{LOG}`)")
    for text in ("11 passed", "93.5% of lines", "42 ms", "1234 rows", "1,234 rows", "93 percent"):
        assert archived.holds(f"{text} (`{LOG}`)"), text
    for text in ("1 passed", "12 rows", "46 tests", "94%", "43 ms", "234 rows"):
        assert archived.fault(f"{text} (`{LOG}`)"), text


def test_an_output_that_is_not_there_is_found(archived: Archived) -> None:
    assert archived.fault("12 passed (`datarim/qa/gone.log`)").startswith("datarim/qa/gone.log does not exist")


def test_a_block_below_is_an_output_too_when_it_speaks_of_the_same(archived: Archived) -> None:
    claim = "pytest says 12 passed:"
    assert archived.holds(f"{claim}\n\n```\n12 passed in 1s\n```")
    assert archived.holds(f"{claim}\n\n```sh\npytest -q\n```")
    result = archived.check(f"{claim}\n\n```\n\n11 passed in 1s\n```\n")
    (finding,) = result.findings
    assert f'{ARCHIVE}:5 "11 passed in 1s"' in (finding.suggested_fix or "")


def test_an_output_that_can_t_be_read_is_no_finding(archived: Archived) -> None:
    archived.write(LOG, "x" * 5_000_000)
    result = archived.check(f"12 passed (`{LOG}`); 13 passed (`gone.log`)\n")
    assert result.status == COULD_NOT_RUN
    assert len(result.findings) == 1
    (archived.root / "out.log").symlink_to("/etc/passwd")
    result = archived.check("12 passed (`out.log`)\n")
    assert (result.status, result.findings) == (COULD_NOT_RUN, ())


def test_without_an_archive_or_a_claim_there_is_nothing_to_run(archived: Archived) -> None:
    assert run(archived.root, archived.policies) == CheckResult(
        NOTHING_TO_RUN, "there is no archive document of the task"
    )
    result = archived.check("All is done, and fast.\n")
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())


def test_the_same_claim_twice_is_found_on_both_lines_and_each_once(archived: Archived) -> None:
    result = archived.check("In `deadbeef12`, in `deadbeef12`.\n\nIn `deadbeef12`.\n")
    assert [finding.artifact_ref.rpartition(":")[2] for finding in result.findings] == ["1", "3"]

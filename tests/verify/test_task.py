"""Finding a workspace and reading a task: what is read, what is refused, and where the level comes from."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import overlay

from toolkit.effects import EFFECTS
from toolkit.errors import StorageError
from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_shapes
from verify.errors import WorkspaceError
from verify.task import Task, Workspace, find_workspace, load_task

ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
PLAN = f"datarim/plans/{ID}-plan.md"
DESCRIPTION = f"datarim/tasks/{ID}-task-description.md"
WORKSPACES = Path(__file__).parents[1] / "workspaces"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "datarim").mkdir(parents=True)
    return root


def write(root: Path, path: str, content: str | bytes = "text\n") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def load(root: Path, policies: PolicySet, task_id: str = ID) -> Task:
    return load_task(find_workspace(root), task_id, policies)


def refused(root: Path, policies: PolicySet, task_id: str = ID) -> WorkspaceError:
    with pytest.raises(WorkspaceError) as caught:
        load(root, policies, task_id)
    assert caught.value.next_step
    return caught.value


def overlaid(edit: str) -> PolicySet:
    """The shipped rules about documents with one edit of a repository."""
    folder = Path(__file__).parents[2] / "policies/verify"
    shipped = [Source(name, (folder / name).read_bytes(), SHIPPED) for name in ("artifacts.yaml", "criteria.yaml")]
    edited = overlay(f"set:\n  {edit}\n", base="verify.artifacts")
    sources = [*shipped, Source("edited.yaml", edited.encode(), REPOSITORY)]
    return PolicySet.load(sources, shipped_shapes(), effects=EFFECTS)


# The workspace


def test_the_nearest_directory_that_holds_datarim_is_the_workspace(root: Path) -> None:
    inner = root / "code/inner"
    (inner / "datarim").mkdir(parents=True)
    (inner / "src").mkdir()
    assert find_workspace(inner / "src") == Workspace(inner, inner / "datarim")
    assert find_workspace(root / "code") == Workspace(root, root / "datarim")
    assert find_workspace(root) == Workspace(root, root / "datarim")


def test_a_search_may_start_at_datarim_itself_or_at_a_file(root: Path) -> None:
    file = write(root, "datarim/tasks.md")
    assert find_workspace(root / "datarim").root == root
    assert find_workspace(file).root == root


def test_a_relative_start_gives_absolute_paths(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    assert find_workspace(Path()) == find_workspace(Path("..")) == Workspace(root, root / "datarim")


def test_a_start_behind_a_link_is_where_the_link_leads(root: Path, tmp_path: Path) -> None:
    (root / "src").mkdir()
    (tmp_path / "link").symlink_to(root / "src")
    assert find_workspace(tmp_path / "link").root == root


@pytest.mark.parametrize("start", ["/", "missing", "a\0b"])
def test_a_search_that_finds_nothing_ends_with_the_next_step(tmp_path: Path, start: str) -> None:
    write(tmp_path, "datarim", "a file, not a directory")
    with pytest.raises(WorkspaceError) as caught:
        find_workspace(tmp_path / start)
    assert caught.value.code == "workspace_not_found"
    assert "--workspace" in (caught.value.next_step or "")


def test_a_start_that_does_not_exist_is_no_place_in_the_workspace_around_it(root: Path) -> None:
    with pytest.raises(WorkspaceError, match="there is no such directory"):
        find_workspace(root / "mistyped")


def test_datarim_may_be_a_link_inside_the_workspace_but_not_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    inside, leaving = tmp_path / "inside", tmp_path / "leaving"
    (inside / "data").mkdir(parents=True)
    (inside / "datarim").symlink_to("data")
    leaving.mkdir()
    (leaving / "datarim").symlink_to(tmp_path / "outside")
    assert find_workspace(inside) == Workspace(inside, inside / "data")
    with pytest.raises(WorkspaceError) as caught:
        find_workspace(leaving)
    assert caught.value.code == "path_outside_workspace"
    assert str(tmp_path / "outside") in caught.value.message


# Task ids


@pytest.mark.parametrize("task_id", ["AB-1", "ABCDEFGHIJ-123456", "DEV-1234-FU-slug", "ABC-1-a-B-2"])
def test_plain_and_compound_ids_are_legal(root: Path, policies: PolicySet, task_id: str) -> None:
    write(root, f"datarim/prd/PRD-{task_id}.md")
    assert load(root, policies, task_id).prd is not None


@pytest.mark.parametrize(
    "task_id",
    [
        "",
        "A-1",
        "abc-1",
        "ABC-1234567",
        "ABC-1\n",
        "ABC-1-",
        "ABC-1/../x",
        "../ABC-1",
        "ABC-1 ",
        "АВС-1",
        "ABC-1-é",
        "ABC-\0",
        "ABC-1-\ud800",
    ],
)
def test_an_id_must_match_as_a_whole(root: Path, policies: PolicySet, task_id: str) -> None:
    assert refused(root, policies, task_id).code == "invalid_task_id"


def test_an_id_longer_than_a_file_name_is_no_id(root: Path, policies: PolicySet) -> None:
    longest = "ABC-1-" + "a" * 94
    write(root, f"datarim/tasks/{longest}-task-description.md")
    assert load(root, policies, longest).description is not None
    error = refused(root, policies, longest + "a")
    assert error.code == "invalid_task_id"
    assert "101 characters" in error.message
    assert "at most 100" in error.message
    assert refused(root, policies, "ABC-1-" + "a" * 100_000).exit_status == 2


def test_whatever_pattern_a_policy_has_an_id_is_no_path(root: Path) -> None:
    loose = overlaid('/task_id: ".*"')
    for task_id in ("", "..", "../ABC-1", "a/b", "ABC-1.md", "*", "a b"):
        assert refused(root, loose, task_id).code == "invalid_task_id"
    write(root, "datarim/tasks/abc_1-task-description.md")
    assert load(root, loose, "abc_1").description is not None


@given(st.text(max_size=20) | st.from_regex(r"[A-Z]{1,3}-[0-9](-[a-zA-Z/.]*)?"))
def test_no_id_reaches_the_file_system_unless_it_is_harmless(policies: PolicySet, task_id: str) -> None:
    workspace = Workspace(Path("/nonexistent"), Path("/nonexistent/datarim"))
    with pytest.raises(WorkspaceError) as caught:
        load_task(workspace, task_id, policies)
    harmless = task_id.isascii() and task_id.replace("-", "").isalnum()
    assert caught.value.code == "invalid_task_id" or (caught.value.code == "task_not_found" and harmless)


# Documents


def test_every_kind_of_document_is_read_once_with_its_digest(root: Path, policies: PolicySet) -> None:
    paths = {
        "prd": PRD,
        "plan": PLAN,
        "task_description": DESCRIPTION,
        "init_task": f"datarim/tasks/{ID}-init-task.md",
        "expectations": f"datarim/tasks/{ID}-expectations.md",
        "creative": f"datarim/creative/creative-{ID}-a.md",
        "qa_report": f"datarim/qa/qa-report-{ID}.md",
        "compliance_report": f"datarim/reports/compliance-report-{ID}.md",
        "archive": f"documentation/archive/framework/archive-{ID}.md",
    }
    for path in paths.values():
        write(root, path, f"# {path}\n")
    write(root, f"datarim/creative/creative-{ID}-b.md")
    write(root, "datarim/prd/PRD-ABC-00010.md")
    task = load(root, policies)
    shutil.rmtree(root)  # whatever is asked now was read before
    assert {kind: artifact.path for kind, artifact in task.artifacts.items()} == paths
    assert [artifact.path[-4:] for artifact in task.all_of("creative")] == ["a.md", "b.md"]
    assert task.prd is not None
    assert task.prd.digest == "sha256:" + hashlib.sha256(f"# {PRD}\n".encode()).hexdigest()
    assert task.digests()[PRD] == task.prd.digest
    assert task.documents()[f"PRD-{ID}.md"] == Path(PRD)
    assert len(task.digests()) == 10
    assert task.prd.blocks is task.prd.blocks


def test_a_task_that_only_has_a_row_is_a_task(root: Path, policies: PolicySet) -> None:
    write(root, "datarim/tasks.md", f"# Tasks\n\n- {ID} · in_progress · P1 · L2 · title\n")
    task = load(root, policies)
    assert (task.own, task.prd, task.complexity) == ((), None, "L2")
    assert task.place_of("prd") == PRD


def test_a_task_of_which_nothing_is_there_is_not_found_and_the_places_are_named(
    root: Path, policies: PolicySet
) -> None:
    write(root, "datarim/tasks.md", f"- XYZ-1 · follows {ID}\n- {ID}-FU · done · L1 · another\n`{ID}`\n")
    error = refused(root, policies)
    assert error.code == "task_not_found"
    assert PRD in error.message
    assert "datarim/backlog.md" in error.message


def test_text_has_no_byte_order_mark_and_lines_are_verbatim(root: Path, policies: PolicySet) -> None:
    write(root, PRD, b"\xef\xbb\xbf# \xd0\x9f\r\n  - AC-1:\t x  \r\nlast")
    prd = load(root, policies).prd
    assert prd is not None
    assert prd.lines == ("# П", "  - AC-1:\t x  ", "last")
    assert (prd.line(2), prd.line(4)) == ("  - AC-1:\t x  ", "")
    assert [(block.line, block.text.strip()) for block in prd.blocks] == [(1, "П"), (2, "AC-1:\t x\nlast")]


def test_front_matter_is_no_part_of_the_text_and_lines_still_count_from_the_top(
    root: Path, policies: PolicySet
) -> None:
    write(root, DESCRIPTION, "---\nid: A\n# AC-8\n---\n# Title\n")
    description = load(root, policies).description
    assert description is not None
    assert [(block.line, block.text) for block in description.blocks] == [(5, "Title")]


@pytest.mark.parametrize("text", ["---\n# AC-1\n---\n", "---\n\nAC-1: a: b\n\n---\n", "---\nAC-1: open\n"])
def test_what_begins_with_a_rule_and_is_no_front_matter_hides_nothing(
    root: Path, policies: PolicySet, text: str
) -> None:
    write(root, PRD, text)
    prd = load(root, policies).prd
    assert prd is not None
    assert any("AC-1" in block.text for block in prd.blocks)


def test_invalid_utf8_is_named_with_line_and_column(root: Path, policies: PolicySet) -> None:
    write(root, PRD, b"\xef\xbb\xbfone\ntwo \xff\n")
    error = refused(root, policies)
    assert error.code == "invalid_utf8"
    assert error.place == f"{PRD}:2:5"
    assert "at byte 11" in error.message


def test_a_document_that_is_too_large_is_refused_unread_with_both_sizes(root: Path, policies: PolicySet) -> None:
    with (root / "large").open("wb") as file:
        file.truncate(50_000_000)
    write(root, PRD)
    (root / PRD).unlink()
    (root / "large").rename(root / PRD)
    error = refused(root, policies)
    assert error.code == "file_too_large"
    assert all(word in error.message for word in (PRD, "50000000", "1048576"))


def test_links_inside_the_workspace_are_read_and_links_out_of_it_refused(
    root: Path, tmp_path: Path, policies: PolicySet
) -> None:
    write(root, "common/prd.md", "# inside\n")
    (root / "datarim/prd").mkdir()
    (root / PRD).symlink_to("../../common/prd.md")
    prd = load(root, policies).prd
    assert prd is not None
    assert (prd.text, prd.path) == ("# inside\n", PRD)
    write(tmp_path, "secret.md", "secret")
    (root / PRD).unlink()
    (root / PRD).symlink_to(tmp_path / "secret.md")
    error = refused(root, policies)
    assert (error.code, error.place) == ("path_outside_workspace", PRD)


@pytest.mark.parametrize("folder", ["datarim/prd", "documentation", "documentation/archive", "datarim/creative"])
def test_a_folder_that_is_a_link_out_of_the_workspace_is_refused(
    root: Path, tmp_path: Path, policies: PolicySet, folder: str
) -> None:
    (tmp_path / "outside/archive/x").mkdir(parents=True)
    write(root, DESCRIPTION)
    (root / folder).parent.mkdir(parents=True, exist_ok=True)
    (root / folder).symlink_to(tmp_path / "outside")
    assert refused(root, policies).code == "path_outside_workspace"


@pytest.mark.parametrize("target", ["missing.md", f"PRD-{ID}.md"])
def test_a_link_that_leads_to_no_file_is_not_a_missing_document(root: Path, policies: PolicySet, target: str) -> None:
    (root / "datarim/prd").mkdir()
    (root / PRD).symlink_to(target)
    write(root, DESCRIPTION)
    error = refused(root, policies)
    assert (error.code, error.place) == ("not_a_regular_file", PRD)


@pytest.mark.parametrize("kind", ["fifo", "directory", "socket", "device"])
def test_what_is_no_regular_file_is_refused_and_never_waited_for(
    root: Path, policies: PolicySet, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / PRD
    path.parent.mkdir()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "device":
        (root / "dev").symlink_to("/dev")
        path.symlink_to("../../dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            monkeypatch.chdir(path.parent)  # the whole path may be longer than a socket's may be
            bound.bind(path.name)
    expected = "path_outside_workspace" if kind == "device" else "not_a_regular_file"
    assert refused(root, policies).code == expected


def test_a_folder_name_taken_by_a_file_means_that_nothing_stands_there(root: Path, policies: PolicySet) -> None:
    for path in ("datarim/prd", "datarim/creative", "documentation/archive"):
        write(root, path)
    write(root, DESCRIPTION)
    assert set(load(root, policies).artifacts) == {"task_description"}


@pytest.mark.parametrize("name", [b"a\nb.md", b"\xff.md"])
def test_a_file_name_that_is_no_text_is_refused_by_name(root: Path, policies: PolicySet, name: bytes) -> None:
    folder = os.fsencode(root / "datarim/creative")
    os.mkdir(folder)
    with open(os.path.join(folder, f"creative-{ID}-".encode() + name), "wb"):
        pass
    error = refused(root, policies)
    assert error.code == "bad_file_name"
    assert error.message.isprintable()


def test_a_document_that_may_not_be_read_is_no_missing_one(root: Path, policies: PolicySet) -> None:
    write(root, PRD).chmod(0)
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from toolkit.errors import StorageError\n"
        "from verify.artifacts import read_document\n"
        "from verify.workspace import Workspace\n"
        "root = Path(sys.argv[1])\n"
        "if os.geteuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        "    read_document('prd', sys.argv[2], Workspace(root, root / 'datarim'), 1000)\n"
        "except StorageError as error:\n"
        "    print(error.code, error.place, error.exit_status)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(root), PRD],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert run.stdout.split() == ["not_readable", PRD, str(StorageError.exit_status)], run.stderr


@pytest.mark.parametrize(
    "edit",
    [
        '/documents/0/path: ""',
        '/documents/0/path: "{id}"',
        '/documents/0/path: "PRD.md"',
        '/documents/0/path: "/prd/{id}.md"',
        '/documents/0/path: "../{id}.md"',
        '/documents/0/path: "a/../{id}.md"',
        '/documents/0/path: "a/./{id}.md"',
        '/documents/0/path: "a//{id}.md"',
        '/documents/0/path: "{id}/.md"',
        '/documents/0/path: "{id}/x.txt"',
        '/documents/0/path: "{id}.md/"',
        '/documents/0/path: "{id}.md\\n"',
        '/documents/0/path: "*-*-{id}.md"',
        '/documents/0/path: "{id}-{id}.md"',
        '/documents/0/path: "{id}-{name}.md"',
        '/shared/1/path: "datarim/*.md"',
        '/shared/1/path: "datarim/{id}.md"',
        '/shared/1/path: "datarim"',
        "/task_id_max: 1000",
    ],
)
def test_an_overlay_with_an_odd_place_is_refused_at_its_line(edit: str) -> None:
    with pytest.raises(PolicyError) as caught:
        overlaid(edit)
    problem = caught.value.problems[0]
    edited = overlay(f"set:\n  {edit}\n", base="verify.artifacts").splitlines()
    assert problem.code == "wrong_shape"
    assert (problem.mark.file, edited[problem.mark.line - 1].strip()) == ("edited.yaml", edit)


def test_a_place_may_have_one_star_in_each_name(root: Path) -> None:
    write(root, f"docs/a-1/b-2-{ID}.md")
    loose = overlaid('/documents/0/path: "docs/a-*/*-{id}.md"')
    assert load(root, loose).place_of("prd") == f"docs/a-1/b-2-{ID}.md"


# Complexity


@pytest.mark.parametrize(
    "text",
    [
        "---\ncomplexity: L4\n---\n# PRD\n**Complexity:** Level 4\n",
        "---\nComplexity: 'L4 (large)'\n---\n",
        "---\ncomplexity: '**L4**'\n---\n",
        "---\ncomplexity: Level 4\n---\n",
        "---\ncomplexity: 4\n---\n",
        "# PRD\n**Complexity:** Level 4\n",
        "# PRD\n**Complexity**: L4 (large)\n",
        "# PRD\n> status: draft · **Complexity:** L4 · **Owner:** me\n",
        "# PRD\n> **Complexity:** Level 4\n",
        "# PRD\n\n- **complexity:** level 4.\n",
        "# PRD\nComplexity: L4\n",
        "# PRD\nstatus: draft · Complexity: L4\n",
        "# PRD\n**Сложность:** Уровень 4\n",
        "# PRD\nComplexity: L4 (large; a Level 4)\n",
        "# PRD\n__Complexity:__ **L4**\n\n## Context\n\n**Complexity:** Level 4\n",
        "# PRD\n**Complexity:** `L4`\n",
        "# PRD\n\n## Context\n\n**Complexity:** L4\n\n## More\n\n**Complexity:** L1\n",
        "## Context\n**Complexity:** L4\n# PRD\n**Complexity:** L1\n",
        "# PRD\n**Complexity:** L4\n- AC-1: one · Complexity: L1\n",
    ],
)
def test_the_level_is_read_in_every_spelling(root: Path, policies: PolicySet, text: str) -> None:
    write(root, PRD, text)
    task = load(root, policies)
    assert task.complexity == "L4"
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "4" in each)
    assert task.complexity_source == f"{PRD}:{line}"


@pytest.mark.parametrize(
    "text",
    [
        "This is a Level 4 task.\n",
        "The complexity: Level 4 of the old one.\n",
        "See **Complexity:** in the table: L4\n",
        "We had **Complexity:** Level 4 before.\n",
        "```\n**Complexity:** Level 4\n```\n",
        "    **Complexity:** Level 4\n",
        "`**Complexity:** Level 4`\n",
        "<!-- **Complexity:** Level 4 -->\n",
        "# Level 4\n",
        "**Complexity:**\n",
        "---\ncomplexity:\n---\n",
        # Beyond the head, or of a part of the document:
        "# PRD\n## One\n## Two\n**Complexity:** L1\n",
        "# PRD\n## One\n# Two\n**Complexity:** L1\n",
        "# PRD\n- AC-1: it works\n  - **Complexity:** L1\n",
        "# PRD\n- AC-1: it works\n  **Complexity:** L1\n",
        "# PRD\n- AC-1: it works\n\n  **Complexity:** L1\n",
        "# PRD\n- AC-1: it works · **Complexity:** L1\n",
        "# PRD\n**AC-1:** it works\n**Complexity:** L1\n",
        "# PRD\n### AC-1: it works\n**Complexity:** L1\n",
        "# PRD\n- a part\n  - **Complexity:** L1\n",
        "---\nid: A\n---\n---\ncomplexity: L1\n---\n# PRD\n",
        "---\nid: A\n---\n\n---\n\ncomplexity: L1\n\n---\n# PRD\n",
        "---\nid: A\n---\ncomplexity: L1\n---\n# PRD\n",
        "# PRD\n\n---\nid: A\ncomplexity: L1\n---\n",
    ],
)
def test_prose_code_and_parts_of_a_document_say_nothing_about_the_level(
    root: Path, policies: PolicySet, text: str
) -> None:
    write(root, PRD, text)
    write(root, "datarim/backlog.md", f"- {ID} · P2 · L2 · title\n")
    task = load(root, policies)
    assert (task.complexity, task.complexity_source) == ("L2", "datarim/backlog.md:1")


def test_sources_are_asked_in_order_and_the_default_comes_last(root: Path, policies: PolicySet) -> None:
    written = {
        "datarim/tasks.md": f"- {ID} · in_progress · P2 · L1 · title\n",
        "datarim/backlog.md": f"| id | level |\n| --- | --- |\n| {ID} | L2 |\n",
        DESCRIPTION: "---\ncomplexity: L4\n---\n",
        PRD: "**Complexity:** Level 1\n",
    }
    write(root, PLAN, "**Complexity:** Level 4\n")
    found = []
    found.append(load(root, policies))
    for path, text in written.items():
        write(root, path, text)
        found.append(load(root, policies))
    assert [task.complexity for task in found] == ["L3", "L1", "L2", "L4", "L1"]
    assert [task.complexity_source for task in found] == [
        "default",
        "datarim/tasks.md:1",
        "datarim/backlog.md:3",
        f"{DESCRIPTION}:2",
        f"{PRD}:1",
    ]


@pytest.mark.parametrize(
    "prd",
    [
        "**Complexity:** Medium\n",
        "**Complexity:** L2-L3\n",
        "**Complexity:** L22\n",
        "**Complexity:** L1 | L2 | L3\n",
        "**Complexity:** L1, L2 or L4\n",
        "**Complexity:** L1 is too small, so L3\n",
        "**Complexity:** L1 (was L3)\n",
        "**Complexity:** L1 (small) or L3\n",
        "**Complexity:** L1 (small\n",
        "**Complexity:** L1 (?)\n",
        "**Complexity:** L1?\n",
        "**Complexity:** L1,\n",
        "**Complexity:** L1 `to L3`\n",
        "**Complexity:** `L1`-`L3`\n",
        "> **Complexity:** L1/L2\n",
        "Complexity: L1 or L2\n",
        "Complexity: Level 1 tasks need less.\n",
        "---\ncomplexity: L1 to L3\n---\n",
        "---\ncomplexity: L1 or L2\n---\n",
        "---\ncomplexity: [L1]\n---\n",
        "---\ncomplexity: L1\nComplexity: L2\n---\n",
        "---\ncomplexity: L1\n---\n# PRD\n**Complexity:** L2\n",
        "**Complexity:** L1\n\n> **Complexity:** L2\n",
        "# PRD\n**Complexity:** L1 · **Complexity:** L4\n",
        "---\ncomplexity: L3\nbroken: a: b\n---\n**Complexity:** L1\n",
        "---\ncomplexity: L9\n---\n",
        "---\ncomplexity: L1\ncomplexity: L1\n---\n",
    ],
)
def test_a_source_that_does_not_say_one_level_is_not_overruled_by_a_lower_one(
    root: Path, policies: PolicySet, prd: str
) -> None:
    write(root, PRD, prd)
    write(root, "datarim/tasks.md", f"- {ID} · in_progress · L1 · title\n")
    task = load(root, policies)
    assert task.complexity == "L3"
    assert task.complexity_source.startswith(f"default: {PRD}:")


@pytest.mark.parametrize(
    "backlog",
    [
        f"- {ID} · pending · L1 or L3 · title\n",
        f"- {ID} · pending · L1 · L3\n",
        f"- {ID} · pending · L1 · title\n- {ID} · pending · L3 · title\n",
        f"- {ID} · pending · ~~L1~~ L3\n",
        f"- {ID} follow-up · pending · L1 · title\n",
        f"- OTH-1 · pending · L2\n  - {ID} · pending · L1\n",
        f"> - {ID} · pending · L1\n",
        f"| id | level |\n| --- | --- |\n| {ID} | L1 / L3 |\n",
        f"| id | level | complexity |\n| --- | --- | --- |\n| {ID} | L1 | L3 |\n",
    ],
)
def test_rows_in_doubt_about_the_level_give_the_default(root: Path, policies: PolicySet, backlog: str) -> None:
    write(root, "datarim/backlog.md", backlog)
    write(root, "datarim/tasks.md", f"- {ID} · in_progress · L1 · title\n")
    task = load(root, policies)
    assert task.complexity == "L3"
    assert task.complexity_source.startswith("default: datarim/backlog.md:")


@pytest.mark.parametrize(
    ("backlog", "level"),
    [
        (f"- {ID} · pending · P1 · L4 · L2 cache is flushed\n", "L4"),
        (f"- {ID} · pending · `L4` · title\n", "L4"),
        (f"- {ID}: a title · pending · Level 4 (large)\n", "L4"),
        (f"- {ID} · pending · L4\n- OTH-1 · pending · L2\n  - {ID} · pending · L4\n", "L4"),
        (f"| id | title | level |\n| --- | --- | --- |\n| {ID} | L1 | L4 |\n", "L4"),
        (f"| id | title |\n| --- | --- |\n| {ID} | L1 |\n", "L2"),
        (f"| id | status | level | after |\n|-|-|-|-|\n| ABCD-0002 | archived | L1 | {ID} |\n", "L2"),
    ],
)
def test_a_rows_level_is_the_field_that_holds_it(root: Path, policies: PolicySet, backlog: str, level: str) -> None:
    write(root, "datarim/backlog.md", backlog)
    write(root, "datarim/tasks.md", f"- {ID} · in_progress · L2 · title\n")
    assert load(root, policies).complexity == level


@pytest.mark.parametrize(
    "row",
    [
        f"- {ID} · done · L2 · x",
        f"- [ ] **{ID}** · done · **L2** · x",
        f"1. `{ID}` · done · l2 · x",
        f"{ID} · done · L2 · x",
        f"* [{ID}](tasks/x.md) · done · L2",
        f"| {ID} | done | L2 |\n| --- | --- | --- |",
        f"- {ID}: title · done · L2",
        f"- {ID} — title · done · L2",
    ],
)
def test_rows_are_found_in_every_dress(root: Path, policies: PolicySet, row: str) -> None:
    write(root, "datarim/tasks.md", f"intro\n\n{row}\n")
    (found,) = load(root, policies).rows
    assert (found.line, found.text, found.fields[0].strip("[]() ")[: len(ID)]) == (3, row.splitlines()[0], ID)
    assert load(root, policies).complexity == "L2"


@pytest.mark.parametrize(
    "row",
    [
        f"- {ID}-FU · done · L2",
        f"- {ID}0 · done · L2",
        f"- X{ID} · done · L2",
        f"- DEV-2 · after {ID} · L2",
        f"- OTH-1 · done · {ID} · L1",
        f"- OTH-1 · done\n  - depends on {ID} · archived · L1",
        f"| ABCD-0002 | archived | L1 | {ID} |\n| --- | --- | --- | --- |",
        f"| what | id |\n| --- | --- |\n| {ID} | ABCD-0002 |",
        f"| task | id |\n| --- | --- |\n| {ID} | ABCD-0002 |",
        f"```\n- {ID} · done · L2\n```",
        f"<!-- - {ID} · done · L2 -->",
    ],
)
def test_a_row_of_another_task_is_not_this_tasks(root: Path, policies: PolicySet, row: str) -> None:
    write(root, PLAN)
    write(root, "datarim/tasks.md", f"{row}\n")
    assert load(root, policies).rows == ()


# Archived


def test_an_archive_document_a_status_or_a_row_archives_a_task(root: Path, policies: PolicySet) -> None:
    write(root, "datarim/tasks.md", f"- {ID} · archived · L2 · title\n")
    assert load(root, policies).archived_reason == "datarim/tasks.md:1 says archived"
    write(root, DESCRIPTION, "---\nstatus: in_progress\n---\n")
    assert not load(root, policies).archived
    write(root, DESCRIPTION, "---\nstatus: Archived\n---\n")
    assert load(root, policies).archived_reason == f"{DESCRIPTION}:2 says status: Archived"
    write(root, DESCRIPTION, "---\nstatus: completed\n---\n")
    assert not load(root, policies).archived
    write(root, f"documentation/archive/web/archive-{ID}.md")
    task = load(root, policies)
    assert task.archived_reason == f"documentation/archive/web/archive-{ID}.md:1 exists"


@pytest.mark.parametrize(
    "rows",
    [
        f"- {ID} · in_progress · L2 · archived\n",
        f"- {ID} · in_progress · archived\n",
        f"- {ID} archived\n",
        f"- {ID} follow-up · archived · L2\n",
        f"- {ID}, OTH-1 · archived · L2\n",
        f"- ~~{ID}~~ · archived · L2\n",
        f"- {ID} · ~~archived~~ · L2\n",
        f"- {ID} · archived?\n",
        f"- {ID} · archived · L2\n- {ID} · in_progress · L2\n",
        f"- {ID} · archived · L2\n\n  - {ID} · in_progress\n",
        f"- OTH-1 · in_progress · L2\n  - {ID} · archived · L2\n",
        f"- OTH-1 · in_progress · L2\n  {ID} · archived · L2\n",
        f"- OTH-1 · in_progress · L2\n\n  {ID} · archived · L2\n",
        f"> - {ID} · archived · L2\n",
        f"## OTH-1: another\n\n### Related\n\n- {ID} · archived · L2\n",
        f"Not to be done before the tasks of the other list, of which\n{ID} · archived · is the last.\n",
        f"| id | title |\n| --- | --- |\n| {ID} | archived |\n",
        f"| id | title | status |\n| --- | --- | --- |\n| {ID} | archived | done |\n",
        f"| id | status | status |\n| --- | --- | --- |\n| {ID} | archived | done |\n",
        f"| id | status |\n| --- | --- |\n| {ID} follow-up | archived |\n",
        f"| {ID} | archived |\n| --- | --- |\n",
    ],
)
def test_only_the_status_of_rows_of_its_own_that_agree_archives_a_task(
    root: Path, policies: PolicySet, rows: str
) -> None:
    write(root, "datarim/tasks.md", rows)
    task = load(root, policies)
    assert task.rows
    assert task.archived_reason is None


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (f"- [x] **{ID}** · Archived · L2\n", 1),
        (f"# Tasks\n\n{ID} · archived\n", 3),
        (f"## OTH-1\n\n## {ID}\n\n- {ID} · archived\n", 5),
        (f"- OTH-1 · x\n  - {ID} · archived\n- {ID} · `archived` · L2\n", 3),
        (f"| title | status | id |\n| --- | --- | --- |\n| one | archived | [{ID}](x.md) |\n", 3),
    ],
)
def test_an_archiving_row_is_named_with_its_line(root: Path, policies: PolicySet, rows: str, line: int) -> None:
    write(root, "datarim/tasks.md", rows)
    reason = load(root, policies).archived_reason
    assert reason is not None
    assert reason.casefold() == f"datarim/tasks.md:{line} says archived"


def test_the_active_context_says_no_status(root: Path, policies: PolicySet) -> None:
    write(root, "datarim/activeContext.md", f"- {ID} · archived\n")
    assert load(root, policies).rows
    assert not load(root, policies).archived
    write(root, "datarim/activeContext.md", f"- {ID} · in_progress\n")
    write(root, "datarim/backlog.md", f"- {ID} · archived\n")
    assert load(root, policies).archived
    write(root, "datarim/tasks.md", f"- {ID} · in_progress\n")
    assert not load(root, policies).archived


@pytest.mark.parametrize(
    "front",
    ["status: archived\nStatus: done", "status: archived (not yet)", "STATUS: done", "status: archived\nb: c: d"],
)
def test_a_description_in_doubt_archives_nothing_and_its_rows_are_not_asked(
    root: Path, policies: PolicySet, front: str
) -> None:
    write(root, "datarim/tasks.md", f"- {ID} · archived\n")
    write(root, DESCRIPTION, f"---\n{front}\n---\n")
    assert not load(root, policies).archived


def test_the_archive_of_a_longer_id_archives_nothing(root: Path, policies: PolicySet) -> None:
    write(root, PRD)
    write(root, f"documentation/archive/web/archive-{ID}-FU.md")
    assert not load(root, policies).archived


@pytest.mark.parametrize(("name", "task_id"), [("ac-forms", "ACF-0001"), ("fences-and-prefixes", "FEN-0002")])
def test_the_known_workspaces_load(policies: PolicySet, name: str, task_id: str) -> None:
    task = load_task(find_workspace(WORKSPACES / name), task_id, policies)
    assert (task.complexity, task.archived) == ("L2", False)
    assert {"prd", "task_description", "init_task"} <= set(task.artifacts)

"""Finding a repository: where it is, that there is none, and that nobody can tell."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from repository_support import LIMITS, Repository, counting_git, opened

from toolkit.errors import ProcessError
from toolkit.repository.git import GitLimits, RepositoryError, open_repository

GIT = shutil.which("git") or "git"


def refusal(start: Path) -> RepositoryError:
    with pytest.raises(RepositoryError) as caught:
        open_repository(start, LIMITS)
    assert caught.value.exit_status == 3
    assert caught.value.next_step
    return caught.value


def test_any_directory_of_the_work_tree_leads_to_its_top(tmp_path: Path) -> None:
    Repository(tmp_path / "r").commit("one", {"a/b/c.txt": "1"})
    for start in ("r", "r/a", "r/a/b"):
        assert opened(tmp_path / start).root == tmp_path / "r"


def test_a_link_to_a_repository_leads_to_the_real_place(tmp_path: Path) -> None:
    Repository(tmp_path / "r")
    (tmp_path / "link").symlink_to("r")
    assert opened(tmp_path / "link").root == tmp_path / "r"


def test_a_name_with_a_line_break_is_a_place_like_any_other(tmp_path: Path) -> None:
    Repository(tmp_path / "a\nb \udcff\n")
    assert opened(tmp_path / "a\nb \udcff\n").root == tmp_path / "a\nb \udcff\n"


def test_a_linked_work_tree_is_a_work_tree_of_its_own(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one", {"a": "1"})
    repository.git("worktree", "add", "-q", "../linked")
    assert opened(tmp_path / "linked").root == tmp_path / "linked"


def test_a_repository_inside_another_one_is_the_one_that_counts(tmp_path: Path) -> None:
    Repository(tmp_path / "outer")
    Repository(tmp_path / "outer/inner")
    assert opened(tmp_path / "outer/inner").root == tmp_path / "outer/inner"


def test_a_submodule_is_a_repository_of_its_own_and_an_empty_one_is_part_of_the_other(tmp_path: Path) -> None:
    Repository(tmp_path / "library").commit("one", {"lib.c": "1"})
    repository = Repository(tmp_path / "r")
    repository.git("submodule", "--quiet", "add", "../library", "sub")
    repository.commit("with a submodule")
    assert opened(tmp_path / "r/sub").root == tmp_path / "r/sub"
    repository.git("submodule", "--quiet", "deinit", "sub")
    assert opened(tmp_path / "r/sub").root == tmp_path / "r"


def test_an_unborn_branch_and_any_object_format_are_no_obstacle(tmp_path: Path) -> None:
    Repository(tmp_path / "sha1")
    Repository(tmp_path / "sha256", "--object-format=sha256")
    assert opened(tmp_path / "sha1").root == tmp_path / "sha1"
    assert opened(tmp_path / "sha256").root == tmp_path / "sha256"


def test_a_shallow_clone_is_known_as_one(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one")
    repository.commit("two")
    repository.git("clone", "-q", "--depth=1", (tmp_path / "r").as_uri(), str(tmp_path / "clone"))
    assert opened(tmp_path / "clone").shallow
    assert not opened(tmp_path / "r").shallow


def test_a_plain_directory_lies_in_no_repository(tmp_path: Path) -> None:
    assert open_repository(tmp_path, LIMITS) is None


def test_finding_a_repository_takes_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Repository(tmp_path / "r")
    folder, runs = counting_git(tmp_path / "bin", GIT)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    opened(tmp_path / "r")
    open_repository(tmp_path, LIMITS)
    assert len(runs.read_text().splitlines()) == 2


def test_without_git_nobody_can_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(tmp_path).code == "git_missing"


def test_a_git_in_the_directory_that_is_verified_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting_git(tmp_path, GIT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    Repository(tmp_path / "r")
    before = (tmp_path / "runs").read_text()
    opened(tmp_path / "r")
    assert (tmp_path / "runs").read_text() == before


def test_a_repository_of_somebody_else_is_not_asked_and_the_way_out_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository(tmp_path / "ю r").commit("one", {"sub/x": "1"})
    wrapper = tmp_path / "bin/git"  # Git's own switch for this very test
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{GIT}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    error = refusal(tmp_path / "ю r/sub")
    assert error.code == "repository_not_trusted"
    assert error.next_step == f"if you trust it: git config --global --add safe.directory '{tmp_path / 'ю r'}'"


def test_what_the_user_declared_safe_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Repository(tmp_path / "r")
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{GIT}" "$@"\n')
    wrapper.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {tmp_path / 'r'}\n")
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert opened(tmp_path / "r").root == tmp_path / "r"


@pytest.mark.parametrize("content", ["gitdir: /nowhere/at/all\n", "no git file\n", ""])
def test_a_git_file_that_leads_nowhere_is_no_answer(content: str, tmp_path: Path) -> None:
    Repository(tmp_path)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / ".git").write_text(content)
    assert refusal(inner).code == "repository_broken"


def test_what_is_left_of_a_repository_does_not_make_the_one_above_it_count(tmp_path: Path) -> None:
    Repository(tmp_path)
    (tmp_path / "inner/.git").mkdir(parents=True)
    assert refusal(tmp_path / "inner").code == "repository_broken"


def test_what_is_left_of_a_repository_does_not_mean_that_there_is_none(tmp_path: Path) -> None:
    Repository(tmp_path / "r")
    (tmp_path / "r/.git/HEAD").unlink()
    assert refusal(tmp_path / "r").code == "repository_broken"


def test_settings_that_cannot_be_read_are_no_answer(tmp_path: Path) -> None:
    Repository(tmp_path)
    (tmp_path / ".git/config").write_text("[core\n")
    assert refusal(tmp_path).code == "repository_broken"


def test_a_bare_repository_and_the_inside_of_one_have_no_work_tree(tmp_path: Path) -> None:
    Repository(tmp_path / "r")
    Repository(tmp_path / "r").git("clone", "-q", "--bare", ".", "../bare")
    assert refusal(tmp_path / "bare").code == "no_work_tree"
    assert refusal(tmp_path / "r/.git").code == "no_work_tree"


def test_a_bare_repository_is_opened_where_it_may_be_one(tmp_path: Path) -> None:
    Repository(tmp_path / "r").commit("first", {"a": "1"})
    Repository(tmp_path / "r").commit("second", {"a": "2"})
    for name, options, shallow in (("whole", [], False), ("shallow", ["--depth=1"], True)):
        Repository(tmp_path / "r").git("clone", "-q", "--bare", *options, f"file://{tmp_path}/r", f"../{name}")
        bare = open_repository(tmp_path / name / "objects", LIMITS, or_bare=True)
        assert bare is not None
        assert (bare.root, bare.bare, bare.shallow) == ((tmp_path / name).resolve(), True, shallow)
    work = open_repository(tmp_path / "r", LIMITS, or_bare=True)
    assert work is not None
    assert (work.root, work.bare) == ((tmp_path / "r").resolve(), False)


def test_a_work_tree_that_calls_itself_bare_is_none(tmp_path: Path) -> None:
    Repository(tmp_path / "r").git("config", "core.bare", "true")
    for place in (tmp_path / "r", tmp_path / "r/.git"):
        with pytest.raises(RepositoryError) as caught:
            open_repository(place, LIMITS, or_bare=True)
        assert caught.value.code == "no_work_tree"


def test_a_repository_that_claims_another_work_tree_is_refused(tmp_path: Path) -> None:
    Repository(tmp_path / "r").git("config", "core.worktree", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    assert refusal(tmp_path / "r").code in {"repository_broken", "no_work_tree"}


def test_a_place_that_is_no_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProcessError):
        open_repository(tmp_path / "nowhere", LIMITS)


def test_a_git_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text("#!/bin/sh\nexec sleep 60\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    with pytest.raises(RepositoryError) as caught:
        open_repository(tmp_path, GitLimits(timeout_ms=50, output_limit=1000))
    assert caught.value.code == "git_timed_out"


def test_a_git_that_is_killed_has_given_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    wrapper.write_text("#!/bin/sh\nkill -9 $$\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    assert refusal(tmp_path).code == "git_failed"

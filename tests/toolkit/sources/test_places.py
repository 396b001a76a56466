"""Where a layer is looked for, and where the user keeps one."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository
from sources_support import LAYER_FOLDER, LIMITS, max_iter, write

from toolkit.shipped import Shipped
from toolkit.sources import find_layer
from toolkit.sources.folder import read_repository
from toolkit.sources.found import FoundLayer
from toolkit.sources.places import user_folder, work_tree_of

# Where the layer is looked for.


def test_a_layer_is_found_from_below(repository: Path) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    assert find_layer(below) == repository
    assert find_layer(repository) == repository


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_a_layer_is_not_looked_for_above_a_work_tree(repository: Path, kind: str) -> None:
    tree = repository / "nested"
    below = tree / "src"
    below.mkdir(parents=True)
    if kind == "folder":
        (tree / ".git").mkdir()
    elif kind == "file":
        (tree / ".git").write_text("gitdir: elsewhere")
    else:
        (tree / ".git").symlink_to("nowhere")
    assert find_layer(below) is None
    (tree / LAYER_FOLDER).mkdir(parents=True)
    assert find_layer(below) == tree


@pytest.mark.parametrize("name", ["waivers.yaml", "notes", "config", "POLICY.LOCK"])
def test_a_folder_with_other_things_is_no_layer(tmp_path: Path, name: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".dr").mkdir()
    (tmp_path / ".dr" / name).write_text("x")
    assert find_layer(tmp_path) is None
    assert read_repository(tmp_path) == FoundLayer()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_called_as_a_layer_and_is_no_folder_is_refused_and_not_taken_for_absent(
    tmp_path: Path, kind: str
) -> None:
    if kind == "file":
        (tmp_path / ".dr").write_text("x")
    else:
        (tmp_path / ".dr").symlink_to("nowhere")
    (tmp_path / "below").mkdir()
    assert find_layer(tmp_path / "below") == tmp_path
    (problem,) = read_repository(tmp_path).problems
    assert (problem.code, problem.mark.file) == ("not_a_folder", ".dr")


@pytest.mark.parametrize("name", ["config.yaml", "policy.lock", "config.yml", "policies"])
def test_a_folder_with_one_part_of_a_layer_is_one(tmp_path: Path, name: str) -> None:
    (tmp_path / ".dr").mkdir()
    (tmp_path / ".dr" / name).write_text("x")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_layer(below) == tmp_path


def test_each_work_tree_has_the_layer_that_stands_in_it(tmp_path: Path, few: Shipped) -> None:
    main = Repository(tmp_path / "main")
    write(main.path, "limits.yaml", LIMITS)
    main.commit("policies")
    main.git("worktree", "add", "-q", "-b", "side", "../linked")
    write(tmp_path / "linked", "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 7"))
    (tmp_path / "linked" / "deep").mkdir()
    assert max_iter(tmp_path / "linked" / "deep") == 7
    assert max_iter(main.path) == 2


def test_a_submodule_has_its_own_layer_or_none(tmp_path: Path, few: Shipped) -> None:
    inner, outer = Repository(tmp_path / "inner"), Repository(tmp_path / "outer")
    inner.commit("nothing", {"src/a.py": "x"})
    write(outer.path, "limits.yaml", LIMITS)
    outer.git("submodule", "--quiet", "add", str(inner.path), "sub")
    outer.commit("with a submodule")
    assert (outer.path / "sub" / ".git").is_file()
    assert max_iter(outer.path) == 2
    assert find_layer(outer.path / "sub" / "src") is None
    write(outer.path / "sub", "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 5"))
    assert max_iter(outer.path / "sub" / "src") == 5


def test_a_work_tree_begins_where_git_says(tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    assert work_tree_of(tmp_path / "a/b/c") == tmp_path / "a/b/c"
    (tmp_path / "a/.git").write_text("gitdir: elsewhere")
    assert work_tree_of(tmp_path / "a/b/c") == tmp_path / "a"


# The user's.


def test_the_user_s_folder_is_where_the_xdg_specification_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    for value, expected in (
        ("/etc/mine", "/etc/mine/dr/policies"),
        ("relative", "/home/ada/.config/dr/policies"),
        ("", "/home/ada/.config/dr/policies"),
    ):
        monkeypatch.setenv("XDG_CONFIG_HOME", value)
        assert user_folder() == Path(expected)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert user_folder() == Path("/home/ada/.config/dr/policies")
    monkeypatch.setenv("HOME", "nowhere")
    assert user_folder() is None

"""The two sides of a comparison: what a name stands for, what is in force there, and why one does not load."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from policy_support import data, head, overlay
from repository_support import Repository
from sources_support import LIMITS, USER_LIMITS, write

from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.problems import PolicyError
from toolkit.repository.problems import RepositoryError, RevisionError
from toolkit.shipped import Shipped
from toolkit.sources import files
from toolkit.sources.sides import Side, Sides, both

WORDS = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"


@pytest.fixture
def work(tmp_path: Path, few: Shipped, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository whose commit ``base`` has a layer, and whose working tree has another one."""
    monkeypatch.setattr(files, "read_shipped", lambda: few)
    made = Repository(tmp_path / "work")
    write(made.path, "limits.yaml", LIMITS)
    made.commit("base", {"src/a.py": "1\n"})
    made.git("tag", "base")
    write(made.path, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 7"))
    return made


@pytest.fixture
def sides(work: Repository) -> Sides:
    return Sides(work.path)


def shipped_copy(few: Shipped, value: int) -> str:
    """The one shipped document, with another number in it."""
    (text,) = few.documents.values()
    assert b"max_iter: 3" in text
    return text.decode().replace("max_iter: 3", f"max_iter: {value}")


def max_iter(side: Side) -> int:
    value: int = side.policies.data("verify.limits")["max_iter"]
    return value


def refusal(sides: Sides, name: str) -> ToolkitError:
    with pytest.raises(ToolkitError) as caught:
        sides.named(name)
    assert caught.value.next_step
    return caught.value


def problems(sides: Sides, name: str) -> list[tuple[str, str]]:
    with pytest.raises(PolicyError) as caught:
        sides.named(name)
    return [(one.code, str(one.mark)) for one in caught.value.problems]


# What a name stands for.


def test_a_revision_is_resolved_to_one_object(sides: Sides, work: Repository) -> None:
    for name in ("main", "base", "HEAD", "refs/heads/main", work.head()):
        side = sides.named(name)
        assert (max_iter(side), side.kind, side.revision, side.name) == (2, "revision", work.head(), name)
        assert side.files == (f"{name}:.dr/policies/limits.yaml",)


def test_the_working_tree_is_that_of_the_nearest_layer(work: Repository) -> None:
    side = Sides(work.path / "src").working_tree()
    assert (max_iter(side), side.kind, side.revision, side.name) == (7, "directory", None, "the working tree")
    assert side.files == (".dr/policies/limits.yaml",)


def test_shipped_is_a_word_whatever_else_has_that_name(sides: Sides, work: Repository) -> None:
    work.git("branch", "shipped")
    (work.path / "shipped").mkdir()
    assert (max_iter(sides.named("shipped")), sides.named("shipped").kind) == (3, "shipped")
    assert max_iter(sides.named("refs/heads/shipped")) == 2


def test_a_directory_with_a_layer_is_what_is_in_force_there(sides: Sides, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 4"))
    write(other, "words.yaml", WORDS)
    for name in ("../other", str(other), "../other/.dr"):
        side = sides.named(name)
        assert (max_iter(side), side.kind) == (4, "directory")
    assert sides.named("../other").files == (
        "../other/.dr/policies/limits.yaml",
        "../other/.dr/policies/words.yaml",
    )
    assert sides.named("../other/.dr").files == sides.named("../other").files
    assert (max_iter(sides.named(".")), sides.named(".").files) == (7, (".dr/policies/limits.yaml",))


def test_each_directory_has_the_profile_of_its_own_configuration(sides: Sides, tmp_path: Path) -> None:
    (tmp_path / "other/.dr").mkdir(parents=True)
    (tmp_path / "other/.dr/config.yaml").write_text("profile: strict\n")
    other = sides.named("../other")
    assert (max_iter(other), other.policies.profile, other.files) == (1, "strict", ("../other/.dr/config.yaml",))
    assert sides.named(".").policies.profile == "compact"


def test_a_work_tree_without_a_layer_is_what_is_shipped(sides: Sides, tmp_path: Path) -> None:
    bare = Repository(tmp_path / "plain")
    bare.commit("empty", {"a": "1"})
    assert (max_iter(sides.named("../plain")), sides.named("../plain").kind) == (3, "directory")


def test_a_folder_of_policies_stands_for_the_shipped_ones_of_their_ids(
    sides: Sides, work: Repository, few: Shipped
) -> None:
    folder = work.path / "drafts/deep"
    folder.mkdir(parents=True)
    (folder / "anything.yaml").write_text(shipped_copy(few, 4))
    (folder / "more.yaml").write_text(data("{}", "verify.more", "verify.limits").replace("value: {}", "value: {a: 1}"))
    (folder / "notes.txt").write_text("no policy")
    assert {(code, place.partition(":")[0]) for code, place in problems(sides, "drafts")} == {
        ("wrong_shape", "drafts/deep/more.yaml")
    }
    (folder / "more.yaml").write_text(WORDS.replace("repo.words", "verify.words"))
    side = sides.named("drafts")
    assert (max_iter(side), side.kind) == (4, "folder")
    assert side.policies.ids == ("verify.limits", "verify.words")
    assert side.files == ("drafts/deep/anything.yaml", "drafts/deep/more.yaml")
    assert max_iter(sides.named("shipped")) == 3


def test_one_file_is_enough_whatever_it_is_called(sides: Sides, work: Repository, few: Shipped) -> None:
    for name in ("limits.yaml", "limits.yaml.old", "-draft", "с пробелом"):
        (work.path / name).write_text(shipped_copy(few, 6))
        side = sides.named(name)
        assert (max_iter(side), side.kind, side.files) == (6, "file", (name,))


def test_an_overlay_in_a_file_edits_what_is_shipped(sides: Sides, work: Repository) -> None:
    (work.path / "mine.yaml").write_text(USER_LIMITS)
    assert max_iter(sides.named("mine.yaml")) == 8
    assert max_iter(sides.named(".dr/policies")) == 7
    assert max_iter(sides.named(".dr/policies/limits.yaml")) == 7


def test_an_overlay_of_a_profile_has_no_part_and_that_is_said(sides: Sides, work: Repository, few: Shipped) -> None:
    folder = work.path / "policies"
    folder.mkdir()
    text = overlay("set: {/max_iter: 1}\n", "profile.strict.limits", base="verify.limits")
    (folder / "strict.yaml").write_text(text)
    assert refusal(sides, "policies").code == "no_policies"
    (folder / "limits.yaml").write_text(shipped_copy(few, 6))
    side = sides.named("policies")
    assert (max_iter(side), side.left_out) == (6, ("policies/strict.yaml",))
    assert side.files == ("policies/limits.yaml",)


def test_a_file_that_is_called_as_a_shipped_document_is_does_not_hide_it(sides: Sides, work: Repository) -> None:
    place = work.path / "policies/verify/limits.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(WORDS.replace("repo.words", "verify.words"))
    assert sides.named("policies").policies.ids == ("verify.limits", "verify.words")


def test_the_user_s_layer_has_no_part_in_any_side(sides: Sides, work: Repository, user: Path) -> None:
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    (work.path / "words.yaml").write_text(WORDS)
    names = ("main", ".", "shipped", "words.yaml")
    assert [max_iter(sides.named(name)) for name in names] == [2, 7, 3, 3]
    assert max_iter(sides.working_tree()) == 7


def test_a_digest_is_of_all_documents_and_the_profile(sides: Sides, work: Repository) -> None:
    assert sides.named("main").digest == sides.named("base").digest != sides.named(".").digest
    write(work.path, "limits.yaml", "# comment\n" + LIMITS.replace("A document", "Another title"))
    assert sides.named("main").digest == sides.named(".").digest
    (work.path / ".dr/config.yaml").write_text("profile: strict\n")
    assert sides.named("main").digest != sides.named(".").digest


# What may be several things.


def test_what_is_a_path_and_a_revision_is_refused_with_the_way_out(
    sides: Sides, work: Repository, few: Shipped
) -> None:
    (work.path / "base").write_text(shipped_copy(few, 6))
    fault = refusal(sides, "base")
    assert (fault.code, fault.exit_status) == ("ambiguous_side", 2)
    assert "./base" in str(fault.next_step)
    assert "refs/heads/" in str(fault.next_step)
    assert max_iter(sides.named("./base")) == 6
    assert max_iter(sides.named("refs/tags/base")) == 2


def test_a_path_that_is_also_several_revisions_is_refused_as_well(sides: Sides, work: Repository) -> None:
    work.commit("more", {"b": "2"})
    work.git("branch", "base")
    assert refusal(sides, "base").code == "ambiguous_revision"
    (work.path / "base").mkdir()
    assert refusal(sides, "base").code == "ambiguous_side"


def test_a_name_of_nothing_says_what_could_be_named(sides: Sides) -> None:
    for name in (
        "nowhere",
        "-x",
        "main:.dr",
        "",
        "./main",
        "a" * 5000,
        "\udcff",
        "@{-1}",
        "main..base",
        "refs/heads/x",
    ):
        fault = refusal(sides, name)
        assert (fault.code, fault.exit_status) == ("unknown_side", 2), name
        assert len(str(fault)) < 6000


def test_a_path_counts_although_git_can_t_be_asked(
    tmp_path: Path, work: Repository, few: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(shipped_copy(few, 6))
    assert max_iter(Sides(tmp_path).named("a.yaml")) == 6
    assert refusal(Sides(tmp_path), "main").code == "unknown_side"
    monkeypatch.setenv("PATH", "")
    assert max_iter(Sides(tmp_path).named("a.yaml")) == 6
    fault = refusal(Sides(tmp_path), "main")
    assert (fault.code, fault.exit_status) == ("git_missing", 3)


def test_a_shallow_clone_does_not_know_what_it_lacks(work: Repository, tmp_path: Path, few: Shipped) -> None:
    work.commit("more", {"b": "2"})
    work.git("clone", "-q", "--depth=1", f"file://{work.path}", str(tmp_path / "shallow"))
    sides = Sides(tmp_path / "shallow")
    assert max_iter(sides.named("main")) == 7
    for name in ("base", "main~1"):
        with pytest.raises(RepositoryError) as caught:
            sides.named(name)
        assert (caught.value.code, caught.value.exit_status) == ("history_incomplete", 3)
    (tmp_path / "shallow/base").write_text(shipped_copy(few, 6))
    assert max_iter(sides.named("base")) == 6


def test_a_bare_clone_says_what_is_in_force_at_a_revision_and_has_no_working_tree(
    work: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.git("clone", "-q", "--bare", str(work.path), str(tmp_path / "bare"))
    monkeypatch.setenv("GIT_DIR", ".")  # as a hook has it
    for folder in ("bare", "bare/hooks"):
        sides = Sides(tmp_path / folder)
        for name in ("main", "HEAD"):  # HEAD is a file there
            assert max_iter(sides.named(name)) == max_iter(Sides(work.path).named("main"))
            assert sides.named(name).revision == work.git("rev-parse", "main")
        with pytest.raises(RepositoryError) as caught:
            sides.working_tree()
        assert (caught.value.code, caught.value.exit_status) == ("no_work_tree", 3)


def test_a_folder_of_a_checkout_that_looks_like_a_bare_repository_answers_for_nothing(
    work: Repository, tmp_path: Path
) -> None:
    work.git("clone", "-q", "--bare", str(work.path), "sub")
    for place in (work.path / "sub", work.path / ".git"):
        with pytest.raises(RepositoryError) as caught:
            Sides(place).named("main")
        assert (caught.value.code, caught.value.exit_status) == ("no_work_tree", 3)


def test_an_object_that_is_missing_is_no_revision_that_is_not_there(sides: Sides, work: Repository) -> None:
    oid = work.git("rev-parse", "main^{tree}")
    (work.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError) as caught:
        sides.named("main")
    assert caught.value.exit_status == 3


def test_a_linked_work_tree_has_a_layer_of_its_own(work: Repository, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", str(tmp_path / "linked"))
    sides = Sides(tmp_path / "linked")
    assert (max_iter(sides.working_tree()), max_iter(sides.named("main"))) == (2, 2)
    assert max_iter(sides.named(str(work.path))) == 7


def test_what_may_not_be_looked_at_is_not_taken_for_absent(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: object, **_options: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "lstat", denied)
    with pytest.raises(UndeterminedError) as caught:
        sides.named("closed/limits.yaml")
    assert (caught.value.code, caught.value.exit_status) == ("side_unreadable", 3)


# What does not load.


def test_a_broken_file_of_a_side_is_named_as_it_is_found_from_here(
    sides: Sides, work: Repository, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    write(other, "words.yaml", WORDS.replace("terms", "term"))
    write(other, "limits.yml", LIMITS)
    (other / ".dr/config.yaml").write_text("profile: none\n")
    found = problems(sides, "../other")
    assert ("policy_suffix", "../other/.dr/policies/limits.yml") in found
    assert ("unknown_word", "../other/.dr/config.yaml:1:10") in found
    assert [place for code, place in found if code == "missing_key"] == ["../other/.dr/policies/words.yaml:1:1"]
    (work.path / "broken.yaml").write_text("policy: v1\n- x")
    assert [place.partition(":")[0] for _, place in problems(sides, "broken.yaml")] == ["broken.yaml"]
    work.commit("broken")
    work.git("mv", "broken.yaml", ".dr/policies/broken.yaml")
    work.commit("in force")
    assert all(place.startswith("main:.dr/policies/broken.yaml") for _, place in problems(sides, "main"))


def test_the_problems_of_both_sides_are_told_at_once_and_of_which_side_each_is(sides: Sides, work: Repository) -> None:
    for name in ("a.yaml", "b.yaml"):
        (work.path / name).write_text("[")
    with pytest.raises(PolicyError) as caught:
        both(lambda: sides.named("a.yaml"), lambda: sides.named("b.yaml"))
    assert [(one.mark.file, one.message.partition(":")[0]) for one in caught.value.problems] == [
        ("a.yaml", "before"),
        ("b.yaml", "after"),
    ]


def test_of_two_failures_the_graver_one_is_told(
    sides: Sides, work: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work.path / "a.yaml").write_text("[")
    with pytest.raises(RevisionError) as caught:
        both(lambda: sides.revision("nowhere"), lambda: sides.revision("main"))
    assert (caught.value.code, caught.value.message.partition(":")[0]) == ("unknown_revision", "before")
    oid = work.git("rev-parse", "main^{tree}")
    (work.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError) as missing:
        both(lambda: sides.named("a.yaml"), lambda: sides.revision("main"))
    assert missing.value.message.startswith("after: ")


def test_a_link_that_leaves_the_folder_is_refused_by_name(sides: Sides, work: Repository, few: Shipped) -> None:
    (work.path / "outside.yaml").write_text(shipped_copy(few, 6))
    folder = work.path / "drafts"
    folder.mkdir()
    (folder / "limits.yaml").symlink_to(work.path / "outside.yaml")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "tree").symlink_to(work.path / ".dr")
    assert sorted(problems(sides, "drafts")) == [
        ("is_symlink", "drafts/loop.yaml"),
        ("policy_outside_folder", "drafts/limits.yaml"),
        ("policy_outside_folder", "drafts/tree"),
    ]


def test_a_link_that_the_user_names_is_followed(sides: Sides, work: Repository, few: Shipped, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(shipped_copy(few, 6))
    (work.path / "link").symlink_to(tmp_path / "outside.yaml")
    assert (max_iter(sides.named("link")), sides.named("link").files) == (6, ("link",))
    (work.path / "gone").symlink_to("nowhere")
    assert refusal(sides, "gone").code == "unknown_side"


def test_a_pipe_is_no_file_and_does_not_block(sides: Sides, work: Repository) -> None:
    os.mkfifo(work.path / "pipe")
    assert problems(sides, "pipe") == [("not_regular", "pipe")]


def test_a_folder_without_policies_makes_no_side(sides: Sides, work: Repository) -> None:
    (work.path / "empty/.dr/other").mkdir(parents=True)
    for name in ("src", "empty", "empty/.dr"):
        fault = refusal(sides, name)
        assert (fault.code, fault.exit_status) == ("no_policies", 2)
        assert name in fault.message


def test_two_documents_of_one_id_in_a_side_are_told(sides: Sides, work: Repository, few: Shipped) -> None:
    for name in ("a", "b"):
        (work.path / "drafts").mkdir(exist_ok=True)
        (work.path / f"drafts/{name}.yaml").write_text(shipped_copy(few, 6))
    assert [code for code, _ in problems(sides, "drafts")] == ["duplicate_id"]


def test_odd_names_are_spelled_out(sides: Sides, work: Repository) -> None:
    (work.path / "drafts").mkdir()
    (work.path / "drafts/\x1b[31m\n.yaml").write_text("[")
    (work.path / os.fsdecode(b"drafts/\xff.yaml")).write_text("[")
    named = {place.rpartition(".yaml")[0] for _, place in problems(sides, "drafts")}
    assert named == {"drafts/\\x1b[31m\\n", "drafts/\\udcff"}


def test_a_huge_folder_is_refused_and_not_read_to_its_end(
    sides: Sides, work: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.sources import found

    monkeypatch.setattr(found, "MAX_ENTRIES", 20)
    (work.path / "drafts").mkdir()
    for number in range(30):
        (work.path / f"drafts/{number}.txt").touch()
    assert problems(sides, "drafts") == [("too_many_files", "drafts")]


def test_a_second_revision_costs_one_process_less(
    work: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from repository_support import counting_git

    real = shutil.which("git")
    assert real is not None
    folder, runs = counting_git(tmp_path / "bin", real)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    sides = Sides(work.path)
    counts = []
    for name in ("main", "base"):
        sides.revision(name)
        counts.append(len(runs.read_text().splitlines()))
    assert counts == [7, 13]

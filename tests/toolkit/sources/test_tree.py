"""A layer that is read from a Git tree: nothing of the working tree counts, and nothing in the tree is trusted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from policy_support import head
from repository_support import Repository
from sources_support import LAYER_FOLDER, LIMITS, max_iter, refused, told, write

from toolkit.errors import ToolkitError
from toolkit.policy.layers import MAX_DOCUMENTS, MAX_SET_BYTES
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.repository.problems import RepositoryError, RevisionError
from toolkit.shipped import Shipped
from toolkit.sources import load_policies
from toolkit.sources.tree import open_tree, read_tree


@pytest.fixture
def work(tmp_path: Path, few: Shipped) -> Repository:
    """A repository whose commit ``base`` has a layer, and whose working tree has another one."""
    made = Repository(tmp_path / "work")
    write(made.path, "limits.yaml", LIMITS)
    made.commit("base", {"src/a.py": "1\n"})
    made.git("tag", "base")
    write(made.path, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 7"))
    return made


def written(work: Repository, name: str, text: str | bytes) -> None:
    """Put a file into the layer and commit it."""
    write(work.path, name, text)
    work.commit(name)


def staged(work: Repository, mode: str, content: bytes | str, path: str) -> None:
    """Commit an entry that need not be one of the working tree."""
    data = content.encode() if isinstance(content, str) else content
    oid = work.head() if mode == "160000" else work.git("hash-object", "-w", "--stdin", stdin=data)
    work.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}")
    work.git("commit", "-q", "-m", "staged")


def test_the_layer_is_the_tree_s_and_not_the_working_tree_s(work: Repository) -> None:
    assert max_iter(work.path) == 7
    assert max_iter(work.path, "base") == 2
    loaded = load_policies(work.path, policy_from="base")
    assert loaded.repository_files == ("base:.dr/policies/limits.yaml",)
    assert loaded.root is None
    assert loaded.tree is not None
    assert loaded.tree.revision == ("base", work.head(), True)


def test_a_branch_a_tag_a_commit_and_a_tree_are_read_alike(work: Repository) -> None:
    oid, tree = work.head(), work.git("rev-parse", "HEAD^{tree}")
    for revision in ("main", "base", "HEAD", oid, oid[:10], tree, "refs/heads/main"):
        assert max_iter(work.path, revision) == 2


def test_a_layer_that_is_only_in_the_working_tree_counts_for_nothing(work: Repository) -> None:
    work.git("rm", "-rq", "--cached", ".dr")
    work.git("commit", "-q", "-m", "no policies")
    write(work.path, "limits.yaml", LIMITS)
    (work.path / ".dr/config.yaml").write_text("profile: strict\n")
    loaded = load_policies(work.path, policy_from="HEAD")
    assert loaded.repository_files == ()
    assert loaded.policies.profile == "compact"


def test_the_configuration_is_the_tree_s_too(work: Repository) -> None:
    work.git("checkout", "-q", "--", ".")
    work.commit("strict", {".dr/config.yaml": "profile: strict\n", ".dr/policies/limits.yaml": "x"}, delete=())
    (work.path / LAYER_FOLDER / "limits.yaml").unlink()
    work.commit("without an overlay")
    (work.path / ".dr/config.yaml").unlink()
    loaded = load_policies(work.path, policy_from="HEAD")
    assert (loaded.policies.profile, loaded.policies.data("verify.limits")["max_iter"]) == ("strict", 1)
    assert loaded.repository_files == ("HEAD:.dr/config.yaml",)


def test_the_nearest_layer_applies_from_below(work: Repository) -> None:
    nested = work.path / "src/deep"
    nested.mkdir()
    assert max_iter(nested, "base") == 2
    write(work.path / "src", "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 5"))
    work.commit("a nearer layer", {"src/.dr/waivers.yaml": "x", "src/deep/.dr/notes": "none", "src/deep/x": "x"})
    assert max_iter(nested, "HEAD") == 5
    assert load_policies(nested, policy_from="HEAD").repository_files == ("HEAD:src/.dr/policies/limits.yaml",)
    assert max_iter(nested, "base") == 2
    assert max_iter(work.path, "HEAD") == 7


def test_a_linked_work_tree_and_a_submodule_ask_their_own_repository(work: Repository, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", "-b", "side", "../linked", "base")
    assert max_iter(tmp_path / "linked/src", "base") == 2
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(work.path), "sub")
    outer.commit("outer")
    assert max_iter(outer.path / "sub/src", "HEAD") == 2
    assert load_policies(outer.path, policy_from="HEAD").repository_files == ()


def test_faults_name_the_revision_the_file_and_the_line(work: Repository) -> None:
    written(work, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: many"))
    write(work.path, "limits.yaml", LIMITS)
    (problem,) = refused(work.path, "main")
    assert (problem.code, str(problem.mark)) == ("wrong_shape", "main:.dr/policies/limits.yaml:7:18")


def test_a_tree_and_a_working_tree_of_the_same_files_are_read_in_the_same_order(work: Repository) -> None:
    for name in ("z.yaml", "a.yaml", "m/b.yaml", "m-n/c.yaml", "m/a/d.yaml", "M/e.yaml"):
        term = name.replace("/", "-").removesuffix(".yaml").lower()
        write(work.path, name, head("vocabulary", f"repo.{term}") + "terms: [{term: a}]\n")
    work.commit("many")
    stored = load_policies(work.path, policy_from="HEAD")
    plain = load_policies(work.path)
    assert [name.removeprefix("HEAD:") for name in stored.repository_files] == list(plain.repository_files)
    assert stored.policies.pack_digest("repo") == plain.policies.pack_digest("repo")


# What a hostile tree may hold.


@pytest.mark.parametrize(
    ("mode", "path"),
    [
        ("120000", ".dr/policies/linked.yaml"),
        ("120000", ".dr/policies/README.md"),
        ("120000", ".dr/policies/folder"),
        ("160000", ".dr/policies/sub"),
        ("160000", ".dr/policies/sub.yaml"),
        ("120000", ".dr/config.yaml"),
        ("160000", ".dr/config.yaml"),
    ],
)
def test_a_link_and_a_submodule_are_refused_by_name(work: Repository, mode: str, path: str) -> None:
    staged(work, mode, "../../src/a.py", path)
    assert told(refused(work.path, "HEAD")) == [("policy_link", f"HEAD:{path}")]


@pytest.mark.parametrize("mode", ["120000", "160000"])
@pytest.mark.parametrize("path", [".dr", ".dr/policies"])
def test_a_layer_that_is_a_link_or_a_submodule_is_refused(work: Repository, mode: str, path: str) -> None:
    work.git("rm", "-rq", "--cached", ".dr")
    staged(work, mode, "src", path)
    assert told(refused(work.path, "HEAD")) == [("policy_link", f"HEAD:{path}")]


def test_a_layer_that_is_a_file_is_refused(work: Repository) -> None:
    work.git("rm", "-rq", "--cached", ".dr")
    staged(work, "100644", "x", ".dr/policies")
    assert told(refused(work.path, "HEAD")) == [("policy_unreadable", "HEAD:.dr/policies")]


def test_a_file_called_as_the_folder_of_a_layer_is_not_taken_for_absent(work: Repository) -> None:
    work.git("rm", "-rq", "--cached", ".dr")
    staged(work, "100644", "x", ".dr")
    (problem,) = refused(work.path, "HEAD")
    assert (problem.code, problem.mark.file) == ("not_a_folder", "HEAD:.dr")
    assert problem.hint is not None


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".dr/policies/limits.yml", "policy_suffix"),
        (".dr/policies/deep/limits.YAML", "policy_suffix"),
        (".dr/config.yml", "config_name"),
        (".dr/CONFIG.yaml", "config_name"),
    ],
)
def test_a_file_that_would_be_overlooked_is_refused(work: Repository, path: str, code: str) -> None:
    staged(work, "100644", "x: 1\n", path)
    assert told(refused(work.path, "HEAD")) == [(code, f"HEAD:{path}")]


def test_a_folder_called_as_a_file_is_refused(work: Repository) -> None:
    staged(work, "100644", "x", ".dr/config.yaml/x")
    assert told(refused(work.path, "HEAD")) == [("not_regular", "HEAD:.dr/config.yaml")]


def test_a_file_is_read_up_to_a_mebibyte(work: Repository) -> None:
    written(work, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS) - 1))
    assert max_iter(work.path, "HEAD") == 2
    written(work, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS)))
    assert told(refused(work.path, "HEAD")) == [("too_large", "HEAD:.dr/policies/limits.yaml")]
    work.commit("config", {".dr/config.yaml": "#" * (MAX_BYTES + 1), ".dr/policies/limits.yaml": LIMITS})
    assert told(refused(work.path, "HEAD")) == [("too_large", "HEAD:.dr/config.yaml")]


def test_what_follows_when_a_set_is_too_large_is_not_even_read(work: Repository) -> None:
    # One object under many names: what is small in a repository need not be small in memory.
    for number in range(40):
        write(work.path, f"w{number:02}.yaml", b"#" * MAX_BYTES)
    work.commit("large")
    layer = read_tree(open_tree(work.path, "HEAD"))
    assert MAX_SET_BYTES < sum(len(source.data) for source in layer.sources) <= MAX_SET_BYTES + MAX_BYTES
    assert "set_too_large" in [problem.code for problem in refused(work.path, "HEAD")]


def test_more_files_than_a_set_may_have_are_refused(work: Repository) -> None:
    for number in range(MAX_DOCUMENTS + 1):
        write(work.path, f"w{number}.yaml", head("vocabulary", f"repo.w{number}") + "terms: [{term: a}]\n")
    work.commit("many")
    assert [problem.code for problem in refused(work.path, "HEAD")] == ["too_many_documents"]


def test_no_more_names_are_looked_at_than_a_layer_may_have(work: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolkit.sources.found.MAX_ENTRIES", 20)
    for number in range(21):
        write(work.path, f"deep/note-{number}.md", "x")
    work.commit("notes")
    assert told(refused(work.path, "HEAD")) == [("too_many_files", "HEAD:.dr/policies")]


def test_a_listing_that_is_longer_than_is_read_is_refused_by_name(
    work: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolkit.sources import tree

    monkeypatch.setattr(tree, "GIT_LIMITS", tree.GIT_LIMITS._replace(output_limit=2000))
    for number in range(100):
        write(work.path, f"note-{number}.md", "x")
    work.commit("notes")
    with pytest.raises(ToolkitError) as caught:
        load_policies(work.path, policy_from="HEAD")
    assert (caught.value.code, caught.value.place) == ("too_many_files", "HEAD:.dr/policies")


def test_a_name_that_is_no_text_is_shown_escaped_and_its_file_is_read(work: Repository) -> None:
    folder = os.fsencode(work.path / LAYER_FOLDER)
    for name in (b"bad-\xff.yaml", b"line\nbreak.yaml", b"\x1b[31m.yaml"):
        (Path(os.fsdecode(folder)) / os.fsdecode(name)).write_bytes(b"a: no\n")
    work.commit("odd")
    assert [problem.mark.file for problem in refused(work.path, "HEAD")] == [
        "HEAD:.dr/policies/\\x1b[31m.yaml",
        "HEAD:.dr/policies/bad-\\udcff.yaml",
        "HEAD:.dr/policies/line\\nbreak.yaml",
    ]


def test_attributes_and_filters_of_the_repository_change_no_byte(work: Repository, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    work.git("config", "filter.evil.smudge", f"touch {ran}")
    work.git("config", "diff.evil.textconv", f"touch {ran}")
    work.commit("attributes", {".gitattributes": "*.yaml filter=evil diff=evil text eol=crlf\n"})
    assert max_iter(work.path, "base") == 2
    assert not ran.exists()


def test_a_replaced_object_is_not_what_the_tree_holds(work: Repository) -> None:
    oid = work.git("rev-parse", "base:.dr/policies/limits.yaml")
    other = work.git("hash-object", "-w", "--stdin", stdin=LIMITS.replace("max_iter: 2", "max_iter: 9").encode())
    work.git("replace", oid, other)
    assert max_iter(work.path, "base") == 2


# What can't be told.


@pytest.mark.parametrize("revision", ["nowhere", "", "--help", "base:.dr", "HEAD@{0}"])
def test_a_revision_that_is_none_is_wrong_usage(work: Repository, revision: str) -> None:
    with pytest.raises(RevisionError) as caught:
        load_policies(work.path, policy_from=revision)
    assert caught.value.exit_status == 2


def test_without_a_repository_there_is_no_revision(tmp_path: Path, few: Shipped) -> None:
    with pytest.raises(RevisionError) as caught:
        load_policies(tmp_path, policy_from="main")
    assert (caught.value.code, caught.value.exit_status) == ("no_repository", 2)


def test_before_the_first_commit_there_is_no_revision(tmp_path: Path, few: Shipped) -> None:
    with pytest.raises(RevisionError) as caught:
        load_policies(Repository(tmp_path / "empty").path, policy_from="HEAD")
    assert caught.value.code == "unknown_revision"


def test_a_bare_repository_and_a_broken_one_can_t_be_asked(tmp_path: Path, work: Repository) -> None:
    bare = Repository(tmp_path / "bare", "--bare")
    (work.path / ".git/HEAD").unlink()
    for place in (bare.path, work.path):
        with pytest.raises(RepositoryError) as caught:
            load_policies(place, policy_from="HEAD")
        assert caught.value.exit_status == 3


def test_a_policy_that_was_not_fetched_is_not_taken_for_absent(work: Repository) -> None:
    oid = work.git("rev-parse", "base:.dr/policies/limits.yaml")
    (work.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError) as caught:
        load_policies(work.path, policy_from="base")
    assert caught.value.code == "object_missing"


def test_the_cache_tells_a_tree_from_the_working_tree(work: Repository) -> None:
    for _ in range(2):
        assert max_iter(work.path, "base") == 2
        assert max_iter(work.path) == 7

"""Where policies come from: the shipped set, the repository's layer, and a cache that changes no answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from policy_support import data, head, overlay

from toolkit import sources
from toolkit.policy.explaining import explain
from toolkit.policy.layers import MAX_DOCUMENTS, REPOSITORY, SHIPPED, Source
from toolkit.policy.nodes import MAX_BYTES
from toolkit.policy.problems import PolicyError, Problem
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_shapes
from toolkit.sources import LAYER_FOLDER, find_layer, load_policies, read_layer

LIMITS = overlay("set: {/max_iter: 2}\n", base="verify.limits")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", str(folder))
    return folder / "policies"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One shipped document instead of all of them, so that a cold load is a short one."""
    shapes = {name: text for name, text in shipped_shapes().items() if name == "verify.limits"}
    files = tuple(path for path in shipped_policy_files() if path.name == "limits.yaml")
    monkeypatch.setattr(sources, "shipped_policy_files", lambda: files)
    monkeypatch.setattr(sources, "shipped_shapes", lambda: shapes)


@pytest.fixture
def repository(tmp_path: Path, few: None) -> Path:
    """A directory with an empty policy layer."""
    root = tmp_path / "repository"
    (root / LAYER_FOLDER).mkdir(parents=True)
    return root


def write(repository: Path, name: str, text: str | bytes) -> Path:
    path = repository / LAYER_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(repository: Path) -> tuple[Problem, ...]:
    with pytest.raises(PolicyError) as caught:
        load_policies(repository)
    return caught.value.problems


def entries(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if not path.name.startswith(".")] if cache.is_dir() else []


# The layer of a repository.


def test_without_a_repository_the_shipped_set_is_in_force(policies: PolicySet) -> None:
    loaded = load_policies(None)
    assert loaded.policies.ids == policies.ids
    assert loaded.repository_files == ()


def test_a_repository_edits_shipped_data_and_brings_its_own(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS)
    write(repository, "deep/er/words.yaml", data("[a]", "repo.words", shape="verify.limits"))
    assert [problem.code for problem in refused(repository)] == ["wrong_shape"]
    (repository / LAYER_FOLDER / "deep/er/words.yaml").unlink()
    write(repository, "deep/er/words.yaml", head("vocabulary", "repo.words") + "terms: [{term: a}]\n")
    loaded = load_policies(repository)
    assert loaded.policies.data("verify.limits")["max_iter"] == 2
    assert loaded.policies.vocabulary("repo.words").terms == ("a",)
    assert loaded.repository_files == (".dr/policies/limits.yaml", ".dr/policies/deep/er/words.yaml")


def test_files_that_are_no_policies_are_left_alone(repository: Path) -> None:
    for name in ("README.md", "notes.txt", "limits.yaml.bak", "yaml"):
        write(repository, name, b"\xff")
    assert load_policies(repository).repository_files == ()


@pytest.mark.parametrize("name", ["limits.yml", "limits.YAML", "limits.Yml", ".yml", "deep/limits.yml"])
def test_a_file_that_would_be_overlooked_is_refused(repository: Path, name: str) -> None:
    write(repository, name, LIMITS)
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("policy_suffix", f".dr/policies/{name}")


def test_a_file_called_nothing_but_its_suffix_is_read(repository: Path) -> None:
    write(repository, ".yaml", LIMITS)
    assert load_policies(repository).policies.data("verify.limits")["max_iter"] == 2


def test_redefining_a_shipped_document_is_refused_with_both_files(repository: Path) -> None:
    write(repository, "limits.yaml", data("{}", "verify.limits", shape="verify.limits"))
    (problem,) = refused(repository)
    assert problem.code == "duplicate_id"
    assert "policies/verify/limits.yaml" in problem.message


def test_a_document_outside_the_pack_repo_is_refused(repository: Path) -> None:
    write(repository, "mine.yaml", head("vocabulary", "verify.mine") + "terms: [{term: a}]\n")
    (problem,) = refused(repository)
    assert (problem.code, problem.hint) == ("foreign_pack", "call it repo.mine")


def test_every_problem_of_every_file_is_told_at_once(repository: Path) -> None:
    write(repository, "a.yaml", "a: no\n")
    write(repository, "b.yml", LIMITS)
    write(repository, "c.yaml", LIMITS.replace("max_iter: 2", "max_iter: many"))
    (repository / LAYER_FOLDER / "d.yaml").symlink_to("/etc/hostname")
    found = refused(repository)
    assert [(problem.mark.file[-6:], problem.code) for problem in found] == [
        ("a.yaml", "ambiguous_scalar"),
        ("/b.yml", "policy_suffix"),
        ("c.yaml", "wrong_shape"),
        ("d.yaml", "policy_outside_repository"),
    ]


def test_a_file_is_read_up_to_a_mebibyte(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS) - 1))
    assert load_policies(repository).repository_files
    write(repository, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS)))
    (problem,) = refused(repository)
    assert (problem.code, str(problem.mark)) == ("too_large", ".dr/policies/limits.yaml")


def test_more_files_than_a_set_may_have_are_refused(repository: Path) -> None:
    for number in range(MAX_DOCUMENTS + 1):
        write(repository, f"w{number}.yaml", head("vocabulary", f"repo.w{number}") + "terms: [{term: a}]\n")
    assert [problem.code for problem in refused(repository)] == ["too_many_documents"]


# What a hostile tree may hold.


def test_a_file_that_leaves_the_repository_by_a_link_is_refused(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked.yaml").symlink_to(outside)
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("policy_outside_repository", ".dr/policies/linked.yaml")


@pytest.mark.parametrize("folder", [".dr", ".dr/policies"])
def test_a_layer_that_leaves_the_repository_by_a_link_is_refused(tmp_path: Path, few: None, folder: str) -> None:
    outside = tmp_path / "outside"
    (outside / "policies").mkdir(parents=True)
    (outside / "policies" / "limits.yaml").write_text(LIMITS)
    (outside / "limits.yaml").write_text(LIMITS)
    root = tmp_path / "repository"
    (root / folder).parent.mkdir(parents=True)
    (root / folder).symlink_to(outside)
    assert find_layer(root) == root
    (problem,) = refused(root)
    assert problem.code == "policy_outside_repository"


def test_a_linked_folder_within_the_layer_is_refused_and_not_overlooked(repository: Path) -> None:
    elsewhere = repository / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "limits.yaml").write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked").symlink_to(elsewhere)
    assert [problem.code for problem in refused(repository)] == ["policy_unreadable"]


def test_a_link_that_stays_in_the_repository_is_followed(repository: Path) -> None:
    (repository / "limits.yaml").write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked.yaml").symlink_to("../../limits.yaml")
    assert load_policies(repository).policies.data("verify.limits")["max_iter"] == 2


def test_a_link_that_leads_nowhere_is_refused(repository: Path) -> None:
    (repository / LAYER_FOLDER / "gone.yaml").symlink_to("nowhere.yaml")
    (repository / LAYER_FOLDER / "round.yaml").symlink_to("round.yaml")
    assert [problem.mark.file[-9:] for problem in refused(repository)] == ["gone.yaml", "ound.yaml"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_layer_that_is_no_folder_is_refused_and_not_taken_for_absent(tmp_path: Path, few: None, kind: str) -> None:
    layer = tmp_path / LAYER_FOLDER
    layer.parent.mkdir()
    if kind == "file":
        layer.write_text("x")
    else:
        layer.symlink_to("nowhere")
    assert find_layer(tmp_path) == tmp_path
    assert [problem.code for problem in refused(tmp_path)] == ["policy_unreadable"]


def test_a_pipe_is_refused_without_waiting_for_a_writer(repository: Path) -> None:
    os.mkfifo(repository / LAYER_FOLDER / "pipe.yaml")
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("not_regular", ".dr/policies/pipe.yaml")


def test_a_name_that_is_no_text_is_shown_escaped_and_its_file_is_read(repository: Path) -> None:
    folder = os.fsencode(repository / LAYER_FOLDER)
    for name in (b"bad-\xff.yaml", b"line\nbreak.yaml", b"\x1b[31m.yaml"):
        (Path(os.fsdecode(folder)) / os.fsdecode(name)).write_bytes(b"a: no\n")
    files = [problem.mark.file for problem in refused(repository)]
    assert files == [
        ".dr/policies/\\x1b[31m.yaml",
        ".dr/policies/bad-\\udcff.yaml",
        ".dr/policies/line\\nbreak.yaml",
    ]


UNPRIVILEGED = """
import os, sys
from pathlib import Path
os.environ["DR_VERIFY_CACHE_DIR"] = "/dev/null/none"  # no cache: each load imports what a cold one needs
import toolkit.reporting.visible, toolkit.storage.files
from toolkit import sources
from toolkit.errors import ToolkitError
from toolkit.sources import find_layer, load_policies
load_policies(None, whole=True)  # imports all that loading needs, as long as it may be read; so are the shipped files
kept, shapes = list(sources._shipped_sources()), sources.shipped_shapes()
sources._shipped_sources, sources.shipped_shapes = lambda: iter(kept), lambda: shapes
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    load_policies(find_layer(Path(sys.argv[1])))
except ToolkitError as fault:
    print(fault.code, fault.exit_status, *(problem.mark.file for problem in getattr(fault, "problems", ())))
else:
    print("loaded")
"""


@pytest.mark.parametrize(
    ("closed", "says"),
    [
        (".dr/policies/limits.yaml", "not_readable 2 .dr/policies/limits.yaml"),
        (".dr/policies/deep", "policy_unreadable 2 .dr/policies/deep"),
        (".dr/policies", "policy_unreadable 2 .dr/policies"),
        (".dr", "policy_unreadable 3"),
        ("", "loaded"),
    ],
)
def test_what_may_not_be_read_is_not_taken_for_absent(closed: str, says: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        root = Path(made)
        root.chmod(0o755)
        write(root, "limits.yaml", LIMITS)
        write(root, "deep/more.yaml", head("vocabulary", "repo.words") + "terms: [{term: a}]\n")
        if closed:
            (root / closed).chmod(0)
        child = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(UNPRIVILEGED), str(root)],
            capture_output=True,
            text=True,
            check=True,
        )
        if closed:
            (root / closed).chmod(0o755)
    assert child.stdout.strip() == says


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


def test_a_configuration_folder_without_policies_is_no_layer(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".dr").mkdir()
    assert find_layer(tmp_path) is None
    assert read_layer(tmp_path) == ((), ())


# The cache.


def test_a_warm_set_is_the_cold_one(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path
    write(repository, "limits.yaml", LIMITS)
    cold = load_policies(repository, packs=("verify", "review"))
    assert len(entries(cache)) == 1
    monkeypatch.setattr(PolicySet, "load", lambda *_: pytest.fail("loaded again"))
    warm = load_policies(repository, packs=("verify", "review"))
    assert warm.repository_files == cold.repository_files
    assert warm.policies.ids == cold.policies.ids
    for document in cold.policies.ids:
        assert warm.policies.digest(document) == cold.policies.digest(document)
        assert warm.policies.entry(document).head == cold.policies.entry(document).head
    for pack in ("verify", "review", "delegation"):
        assert warm.policies.pack_digest(pack) == cold.policies.pack_digest(pack)
    facts = {"forecast": 7, "spent": 3, "budget": 9}
    one, other = cold.policies.table("review.forecast"), warm.policies.table("review.forecast")
    assert one.decide(**facts) == other.decide(**facts)
    assert explain(one, facts)[0].to_json() == explain(other, facts)[0].to_json()


@pytest.mark.parametrize("damage", ["", "{}", "x", '{"documents": {}}', "cut", "flip", "folder"])
def test_a_damaged_cache_is_a_miss(cache: Path, damage: str, few: None) -> None:
    digest = load_policies(None).policies.pack_digest("verify")
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    entry.unlink()
    if damage == "folder":
        entry.mkdir()
    else:
        damaged = {"cut": whole[:-10], "flip": whole.replace(b"max_iter", b"max_iret", 1)}.get(damage, damage.encode())
        entry.write_bytes(damaged)
    assert load_policies(None).policies.pack_digest("verify") == digest
    assert "max_iter" in load_policies(None).policies.data("verify.limits")


def test_an_entry_that_is_no_set_is_a_miss(monkeypatch: pytest.MonkeyPatch, few: None) -> None:
    from toolkit.storage.cache import Cache

    monkeypatch.setattr(Cache, "get", lambda *_: ["not", "a", "set"])
    assert load_policies(None).policies.ids == ("verify.limits",)


def test_a_set_that_does_not_load_is_never_kept(repository: Path, cache: Path) -> None:
    write(repository, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: many"))
    assert refused(repository)
    assert refused(repository)
    write(repository, "limits.yaml", LIMITS)
    write(repository, "other.yml", LIMITS)
    assert refused(repository)
    assert entries(cache) == []


def test_what_is_refused_unread_is_refused_with_a_warm_cache_too(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS)
    load_policies(repository)
    write(repository, "other.yml", LIMITS)
    assert [problem.code for problem in refused(repository)] == ["policy_suffix"]


def test_an_edit_of_one_byte_is_seen_at_once(repository: Path) -> None:
    for number in (2, 3, 2):
        write(repository, "limits.yaml", LIMITS.replace("max_iter: 2", f"max_iter: {number}"))
        assert load_policies(repository).policies.data("verify.limits")["max_iter"] == number


ONE = Source("a.yaml", b"one", SHIPPED)


@pytest.mark.parametrize(
    ("others", "shapes", "packs"),
    [
        ((Source("a.yaml", b"onf", SHIPPED),), {"s": b"{}"}, ("p",)),
        ((Source("b.yaml", b"one", SHIPPED),), {"s": b"{}"}, ("p",)),
        ((Source("a.yaml", b"one", REPOSITORY),), {"s": b"{}"}, ("p",)),
        ((ONE, ONE), {"s": b"{}"}, ("p",)),
        ((), {"s": b"{}"}, ("p",)),
        ((ONE,), {"s": b"{ }"}, ("p",)),
        ((ONE,), {"t": b"{}"}, ("p",)),
        ((ONE,), {}, ("p",)),
        ((ONE,), {"s": b"{}"}, ("p", "q")),
        ((ONE,), {"s": b"{}"}, ("pq",)),
        ((Source("a.yam", b"lone", SHIPPED),), {"s": b"{}"}, ("p",)),
    ],
)
def test_the_key_changes_with_every_byte_that_went_into_a_set(
    others: tuple[Source, ...], shapes: dict[str, bytes], packs: tuple[str, ...]
) -> None:
    assert sources._cache_key(others, shapes, packs) != sources._cache_key((ONE,), {"s": b"{}"}, ("p",))


def test_the_key_changes_with_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources._cache_key((ONE,), {}, ())
    monkeypatch.setattr(sources, "__version__", "0.0.0-other")
    assert sources._cache_key((ONE,), {}, ()) != before


def test_the_cache_holds_json_and_no_program(cache: Path, few: None) -> None:
    load_policies(None)
    (entry,) = entries(cache)
    payload = json.loads(entry.read_bytes().partition(b"\n")[2])
    assert set(payload) == {"digests", "documents"}


def test_what_is_shipped_is_held_against_its_shapes_by_check_and_what_is_overlaid_always(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from toolkit.policy import sets

    checked: list[str] = []
    monkeypatch.setattr(sets, "check_shape", lambda _node, shape, *_rest: checked.append(shape))
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", "/dev/null/none")
    load_policies(None)
    assert checked == []
    write(tmp_path, "limits.yaml", LIMITS)
    load_policies(tmp_path)
    assert checked == ["verify.limits"]
    checked.clear()
    load_policies(None, whole=True)
    assert "verify.floor" in checked

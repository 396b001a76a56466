"""Layers put together, and a cache that changes no answer."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sources_support import LIMITS, USER_LIMITS, entries, max_iter, refused, told, write

from toolkit.policy.layers import Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.shipped import Shipped
from toolkit.sources import load_policies, loading
from toolkit.sources.found import FoundLayer

# The cache.


def test_a_warm_set_is_the_cold_one(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = tmp_path
    write(repository, "limits.yaml", LIMITS)
    cold = load_policies(repository, packs=("verify", "review"))
    assert len(entries(cache)) == 1
    monkeypatch.setattr(PolicySet, "load", lambda *_, **__: pytest.fail("loaded again"))
    warm = load_policies(repository, packs=("verify", "review"))
    assert warm.repository_files == cold.repository_files
    assert warm.policies.ids == cold.policies.ids
    for document in cold.policies.ids:
        assert warm.policies.digest(document) == cold.policies.digest(document)
        assert warm.policies.entry(document).head == cold.policies.entry(document).head
    for pack in ("verify", "review", "delegation"):
        assert warm.policies.pack_digest(pack) == cold.policies.pack_digest(pack)
    facts = {"forecast": 7, "spent": 3, "budget": 9}
    one, other = cold.policies, warm.policies
    assert one.table("review.forecast").decide(**facts) == other.table("review.forecast").decide(**facts)
    assert one.explain("review.forecast", facts)[0].to_json() == other.explain("review.forecast", facts)[0].to_json()


@pytest.mark.parametrize("damage", ["", "{}", "x", '{"documents": {}}', "cut", "flip", "folder"])
def test_a_damaged_cache_is_a_miss(cache: Path, damage: str, few: Shipped) -> None:
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


def test_an_entry_that_is_no_set_is_a_miss(monkeypatch: pytest.MonkeyPatch, few: Shipped) -> None:
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
        assert max_iter(repository) == number


CHANGES = {
    "a byte of a document": lambda parts: with_shipped(parts, documents={"a.yaml": b"onf"}),
    "a document's name": lambda parts: with_shipped(parts, documents={"b.yaml": b"one"}),
    "another document": lambda parts: with_shipped(parts, documents={"a.yaml": b"one", "b.yaml": b"one"}),
    "no document": lambda parts: with_shipped(parts, documents={}),
    "a name's end in its content": lambda parts: with_shipped(parts, documents={"a.yam": b"lone"}),
    "a shape": lambda parts: with_shipped(parts, shapes={"s": b"{ }"}),
    "a shape's name": lambda parts: with_shipped(parts, shapes={"t": b"{}"}),
    "a template": lambda parts: with_shipped(parts, templates={"t": b"text."}),
    "a document as a template": lambda parts: with_shipped(parts, documents={}, templates={"a.yaml": b"one"}),
    "a profile's overlay": lambda parts: with_shipped(parts, profiles={"p": {"p.yaml": b"y"}}),
    "the repository's file": lambda parts: replace(parts, repository=FoundLayer((Source("r", b"0", "repository"),))),
    "the user's file": lambda parts: replace(parts, user=FoundLayer((Source("r", b"0", "user"),))),
    "the configuration": lambda parts: replace(parts, repository=FoundLayer(config=Source("r", b"0", "repository"))),
    "how the user's layer counts": lambda parts: replace(parts, user_layer="pins"),
    "one more pack": lambda parts: replace(parts, packs=("p", "q")),
    "another pack": lambda parts: replace(parts, packs=("pq",)),
}
SHIPPED = Shipped({"a.yaml": b"one"}, {"p": {"p.yaml": b"x"}}, {"s": b"{}"}, {"t": b"text"})
PARTS = loading._Parts(SHIPPED, FoundLayer(), FoundLayer(), "full", ("p",))


def with_shipped(parts: loading._Parts, **changes: Any) -> loading._Parts:
    return replace(parts, shipped=parts.shipped._replace(**changes))


def test_the_key_changes_with_every_byte_that_went_into_a_set() -> None:
    keys = {name: loading._cache_key(change(PARTS)) for name, change in CHANGES.items()}
    assert len({*keys.values(), loading._cache_key(PARTS)}) == len(CHANGES) + 1
    assert loading._cache_key(replace(PARTS)) == loading._cache_key(PARTS)


def test_the_key_changes_with_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    before = loading._cache_key(PARTS)
    monkeypatch.setattr(loading, "__version__", "0.0.0-other")
    assert loading._cache_key(PARTS) != before


def test_the_cache_holds_json_and_no_program(cache: Path, few: Shipped) -> None:
    load_policies(None)
    (entry,) = entries(cache)
    payload = json.loads(entry.read_bytes().partition(b"\n")[2])
    assert {"digests", "documents"} <= set(payload)


# The layers together.


def chosen(repository: Path, text: str) -> None:
    (repository / ".dr").mkdir(exist_ok=True)
    (repository / ".dr" / "config.yaml").write_text(text)


def test_a_later_layer_wins_and_each_is_named(repository: Path, user: Path) -> None:
    assert max_iter(repository) not in (1, 2, 8)
    chosen(repository, "profile: strict\n")
    assert max_iter(repository) == 1
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    assert max_iter(repository) == 8
    write(repository, "limits.yaml", LIMITS)
    loaded = load_policies(repository)
    assert loaded.policies.data("verify.limits")["max_iter"] == 2
    assert loaded.policies.profile == "strict"
    assert loaded.repository_files == (".dr/config.yaml", ".dr/policies/limits.yaml")
    assert loaded.user_files == (str(user / "limits.yaml"),)
    version = loaded.policies.entry("verify.limits").head.version.partition("+")[2]
    assert version == "profile.strict.limits@1.0.0.user.limits@1.0.0.repo.overlay@1.0.0"


def test_what_is_bound_is_the_same_whatever_the_user_adds(repository: Path, user: Path) -> None:
    before = load_policies(repository).policies
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    for _ in range(2):  # cold and warm
        after = load_policies(repository).policies
        assert after.pack_digest("verify") != before.pack_digest("verify")
        assert after.bound.pack_digest("verify") == before.pack_digest("verify")
        assert "user" not in after.bound.entry("verify.limits").head.version


def test_a_review_reads_the_user_s_layer_for_its_pins_alone_and_a_reader_of_none_not_even_that(
    repository: Path, user: Path
) -> None:
    before = max_iter(repository)
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    for how in ("pins", "none"):
        assert load_policies(repository, user=how).policies.data("verify.limits")["max_iter"] == before
    (user / "limits.yaml").write_text("policy: v2\n")
    assert load_policies(repository, user="none").user_files == ()
    with pytest.raises(PolicyError):
        load_policies(repository, user="pins")


def test_the_default_profile_needs_no_folder_and_may_be_named(repository: Path) -> None:
    plain = load_policies(repository).policies
    chosen(repository, "profile: compact\n")
    named = load_policies(repository).policies
    assert (plain.profile, named.profile) == ("compact", "compact")
    assert plain.pack_digest("verify") == named.pack_digest("verify")
    chosen(repository, "{}\n")
    assert load_policies(repository).policies.profile == "compact"


def test_a_profile_is_part_of_what_is_bound_even_where_it_edits_nothing_of_a_pack(
    repository: Path, few: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = load_policies(repository).policies.pack_digest("verify")
    monkeypatch.setattr(loading, "read_shipped", lambda: few._replace(profiles={"idle": {}}))
    chosen(repository, "profile: idle\n")
    assert load_policies(repository).policies.pack_digest("verify") != plain


@pytest.mark.parametrize(
    ("text", "code", "place", "hint"),
    [
        ("profile: strikt\n", "unknown_word", ".dr/config.yaml:1:10", "did you mean 'strict'?"),
        ("profil: strict\n", "unknown_key", ".dr/config.yaml:1:1", "did you mean 'profile'?"),
        ("profile: strict\nprofile: strict\n", "duplicate_key", ".dr/config.yaml:2:1", None),
        ("profile: [strict]\n", "wrong_type", ".dr/config.yaml:1:10", None),
        ("profile: no\n", "ambiguous_scalar", ".dr/config.yaml:1:10", None),
        ("profile: ../strict\n", "unknown_word", ".dr/config.yaml:1:10", None),
        ("- strict\n", "wrong_type", ".dr/config.yaml:1:1", None),
        ("# profile: strict\n", "empty", ".dr/config.yaml:1:1", "begin with: profile: compact"),
        ("", "empty", ".dr/config.yaml:1:1", None),
    ],
)
def test_a_configuration_is_read_as_strictly_as_a_policy(
    repository: Path, text: str, code: str, place: str, hint: str | None
) -> None:
    chosen(repository, text)
    (problem,) = refused(repository)
    assert (problem.code, str(problem.mark)) == (code, place)
    assert hint is None or problem.hint == hint


def test_a_broken_configuration_is_told_with_the_problems_of_the_policies(repository: Path) -> None:
    chosen(repository, "profile: strikt\n")
    write(repository, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: many"))
    assert told(refused(repository)) == [
        ("unknown_word", ".dr/config.yaml:1:10"),
        ("wrong_shape", ".dr/policies/limits.yaml:7:18"),
    ]


# The user's layer.


@pytest.fixture
def own(user: Path, few: Shipped) -> Path:
    """The user's folder with one overlay."""
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    (user / "limits.yaml").chmod(0o600)
    return user


def test_the_user_s_layer_needs_no_repository(own: Path) -> None:
    assert max_iter(None) == 8


def test_a_folder_of_the_user_that_others_may_write_to_is_refused(own: Path) -> None:
    for path in (own, own / "limits.yaml"):
        mode = path.stat().st_mode & 0o777
        for open_to_others in (0o020, 0o002):
            path.chmod(mode | open_to_others)
            with pytest.raises(PolicyError) as caught:
                load_policies(None)
            (problem,) = caught.value.problems
            assert (problem.code, problem.mark.file) == ("policy_not_private", str(path))
            assert problem.hint is not None
            assert "chmod go-w" in problem.hint
        path.chmod(mode)
    assert max_iter(None) == 8


def test_a_policy_of_somebody_else_in_the_user_s_folder_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.geteuid()
    monkeypatch.setattr("toolkit.sources.folder.os.geteuid", lambda: real + 1)
    monkeypatch.setattr("toolkit.sources.folder.SUPERUSER", real + 2)
    with pytest.raises(PolicyError) as caught:
        load_policies(None)
    assert [problem.code for problem in caught.value.problems] == ["policy_not_private"]


def test_a_linked_folder_of_the_user_is_followed_and_a_file_that_leaves_it_is_not(own: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles"
    own.rename(kept)
    own.symlink_to(kept)
    assert max_iter(None) == 8
    (tmp_path / "elsewhere.yaml").write_text(USER_LIMITS)
    (kept / "limits.yaml").unlink()
    (kept / "limits.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(PolicyError) as caught:
        load_policies(None)
    assert [problem.code for problem in caught.value.problems] == ["policy_outside_folder"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_is_no_folder_is_not_taken_for_no_layer(user: Path, few: Shipped, kind: str) -> None:
    user.parent.mkdir()
    if kind == "file":
        user.write_text("x")
        user.chmod(0o600)
    else:
        user.symlink_to("nowhere")
    with pytest.raises(PolicyError) as caught:
        load_policies(None)
    assert [problem.code for problem in caught.value.problems] == ["policy_unreadable"]


def test_a_file_in_the_user_s_home_is_named_without_the_home(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(own.parent.parent))
    assert load_policies(None).user_files == ("~/dr/policies/limits.yaml",)


def test_the_user_s_documents_are_of_the_pack_user(own: Path) -> None:
    (own / "limits.yaml").write_text(LIMITS)
    with pytest.raises(PolicyError) as caught:
        load_policies(None)
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("foreign_pack", "call it user.overlay")

"""Waiver files: read as strictly as policies, every problem told at once, found where policies are found."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository_support import Repository

from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.sets import PolicySet
from toolkit.sources.tree import open_tree
from verify.artifacts import ArtifactRules
from verify.criteria import CriteriaRules
from verify.waivers.file import WaiverFile, read_stored_waiver_file, read_waiver_file
from verify.waivers.reading import WaiverError, Words, read_waivers
from verify.waivers.rules import WaiverRules
from verify.waivers.waiver import Waiver

GOOD = {
    "rule": "shellcheck",
    "reason": '"Vendored from upstream"',
    "owner": "platform",
    "expires": '"2027-03-31"',
}
REST = 'reason: "Vendored from upstream", owner: platform, expires: "2027-03-31"'


@pytest.fixture(scope="module")
def words(policies: PolicySet) -> Words:
    return Words(
        WaiverRules.from_policy(policies),
        ArtifactRules.from_policy(policies),
        CriteriaRules.from_policy(policies),
        policies.vocabulary("verify.category").terms,
    )


def read(text: str | bytes, words: Words) -> tuple[Waiver, ...]:
    data = text if isinstance(text, bytes) else text.encode()
    return read_waivers(WaiverFile(".dr/waivers.yaml", data), words)


def one(words: Words, **changes: str | None) -> Waiver:
    entry = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    lines = "".join(f"    {key}: {value}\n" for key, value in entry.items())
    (waiver,) = read(f"waivers:\n  -\n{lines}", words)
    return waiver


def problems(words: Words, **changes: str | None) -> list[str]:
    with pytest.raises(WaiverError) as caught:
        one(words, **changes)
    return [problem.code for problem in caught.value.problems]


def test_a_waiver_says_what_it_covers_and_who_answers_for_it(words: Words) -> None:
    waiver = one(words, path="scripts/**", text="SC2034", criteria='["AC 7", AC-1..AC-3, wish-a]', task="ABCD-0001")
    assert waiver.rule == "shellcheck"
    assert waiver.category is None
    assert waiver.criteria == ("AC-7", "AC-1", "AC-2", "AC-3", "wish-a")
    assert (waiver.reason, waiver.owner, waiver.expires) == ("Vendored from upstream", "platform", date(2027, 3, 31))
    assert waiver.place == ".dr/waivers.yaml:3"


def test_a_file_may_hold_no_waiver(words: Words) -> None:
    assert read("waivers: []\n", words) == ()


@pytest.mark.parametrize("key", ["reason", "owner", "expires"])
def test_a_waiver_without_a_reason_an_owner_or_an_end_is_an_error(words: Words, key: str) -> None:
    assert problems(words, **{key: None}) == ["missing_key"]


def test_every_problem_of_a_file_is_told_at_once_with_its_place(words: Words) -> None:
    text = """waivers:
  - rule: shellcheck
    resaon: "Vendored from upstream"
    owner: " "
    expires: 2027-03-31
  - rule: policy_layer
    reason: TBD
    owner: me
    expires: "2027-02-30"
  - reason: "Vendored from upstream"
    owner: me
    expires: "2027-03-31"
"""
    with pytest.raises(WaiverError) as caught:
        read(text.replace("expires: 2027-03-31", 'expires: "soon"'), words)
    told = [(str(problem.mark).rpartition("yaml:")[2], problem.code) for problem in caught.value.problems]
    assert told == [
        ("2:5", "missing_key"),
        ("3:5", "unknown_key"),
        ("4:12", "empty_text"),
        ("5:14", "bad_date"),
        ("6:11", "never_waived"),
        ("7:13", "no_reason"),
        ("9:14", "bad_date"),
        ("10:5", "waives_unclear"),
    ]
    hints = [problem.hint for problem in caught.value.problems]
    assert hints[1] == "did you mean 'reason'?"
    assert caught.value.exit_status == 2
    assert caught.value.next_step


def test_a_date_without_quotes_is_no_text_that_all_readers_agree_on(words: Words) -> None:
    assert problems(words, expires="2027-03-31") == ["ambiguous_scalar"]


@pytest.mark.parametrize(
    "text", ['"20270331"', '"2027-W13-3"', '"2027-3-31"', '"2027-02-29"', '"2027-03-31 "', '"٢٠٢٧-٠٣-٣١"']
)
def test_a_day_is_written_in_one_way(words: Words, text: str) -> None:
    assert problems(words, expires=text) == ["bad_date"]


@pytest.mark.parametrize("reason", ['"short one"', '"TBD: somebody explains this later"', '"- - - - - - - - - - -"'])
def test_a_reason_says_something(words: Words, reason: str) -> None:
    assert problems(words, reason=reason) == ["no_reason"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rule": None}, "waives_unclear"),
        ({"category": "safety"}, "waives_unclear"),
        ({"fingerprint": "a" * 64}, "waives_unclear"),
        ({"rule": None, "fingerprint": "a" * 63}, "bad_fingerprint"),
        ({"rule": None, "category": "safety"}, "waives_too_much"),
        ({"rule": None, "category": "safety", "task": "ABCD-0001"}, "waives_too_much"),
        ({"path": '"**"'}, "waives_too_much"),
        ({"path": '"**/*.*"'}, "waives_too_much"),
        ({"text": '"a  "'}, "waives_too_much"),
        ({"rule": "policy_layer"}, "never_waived"),
        ({"rule": None, "category": "saftey", "path": "src/*"}, "unknown_word"),
        ({"path": '"../x"'}, "bad_pattern"),
        ({"path": '"src/[a"'}, "bad_pattern"),
        ({"path": "src/" + "a" * 999}, "too_long"),
        ({"criteria": "[]"}, "empty_text"),
        ({"criteria": '["AC-1", " "]'}, "empty_text"),
        ({"criteria": "AC-1"}, "wrong_type"),
        ({"task": '"ABCD-0001\\n"'}, "invalid_task_id"),
        ({"task": "../ABCD-0001"}, "invalid_task_id"),
        ({"owner": "7"}, "wrong_type"),
        ({"owner": "null"}, "wrong_type"),
        ({"text": "x" * 1001}, "too_long"),
    ],
)
def test_what_narrows_nothing_or_means_nothing_is_refused(words: Words, changes: dict[str, str], code: str) -> None:
    assert problems(words, **changes) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("[]\n", "wrong_type"),
        ("waivers: {}\n", "wrong_type"),
        ("waivers: [x]\n", "wrong_type"),
        ("waiver: []\n", "missing_key"),
        ("waivers: []\nwaivers: []\n", "duplicate_key"),
        ("waivers: &a []\n", "anchor"),
        ("waivers: []\n---\nwaivers: []\n", "second_document"),
        ("waivers: [\n", "yaml_syntax"),
        (f"waivers: [{'[' * 100}{']' * 100}]\n", "too_deep"),
        (f"waivers: [{{rule: shellcheck, rule: other, {REST}}}]\n", "duplicate_key"),
        (f"waivers: [{', '.join(['{rule: shellcheck}'] * 1001)}]\n", "too_many_waivers"),
        (b"waivers: [\xff]\n", "not_utf8"),
    ],
)
def test_what_is_no_waiver_file_is_refused_by_name(words: Words, text: str | bytes, code: str) -> None:
    with pytest.raises(WaiverError) as caught:
        read(text, words)
    assert code in {problem.code for problem in caught.value.problems}
    assert caught.value.place is not None
    assert caught.value.place.startswith(".dr/waivers.yaml")


def test_an_empty_file_is_told_how_to_begin(words: Words) -> None:
    with pytest.raises(WaiverError) as caught:
        read("", words)
    assert caught.value.next_step == "begin with: waivers:"


@given(
    st.binary(max_size=300) | st.text(max_size=300).map(lambda text: f"waivers:\n- {text}".encode("utf-8", "ignore"))
)
def test_whatever_the_bytes_are_there_are_whole_waivers_or_problems(words: Words, data: bytes) -> None:
    with suppress(WaiverError):
        assert all(waiver.reason and waiver.owner for waiver in read(data, words))


def test_the_nearest_file_holds_and_nothing_above_a_work_tree_is_looked_at(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "workspace"
    inner.mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "repository"):
        (folder / ".dr").mkdir()
        (folder / ".dr" / "waivers.yaml").write_text(folder.name)
    found = read_waiver_file(inner, 100)
    assert found is not None
    assert found.data == b"repository"
    (inner / ".git").mkdir()
    assert read_waiver_file(inner, 100) is None


def test_a_folder_of_policies_alone_holds_no_waivers(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".dr" / "policies").mkdir(parents=True)
    assert read_waiver_file(tmp_path, 100) is None


@pytest.mark.parametrize("name", ["waivers.yml", "Waivers.yaml", "WAIVERS.YML", "waivers.json"])
def test_a_file_that_would_be_overlooked_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / ".dr").mkdir()
    (tmp_path / ".dr" / name).write_text("waivers: []\n")
    with pytest.raises(ToolkitError) as caught:
        read_waiver_file(tmp_path, 100)
    assert (caught.value.code, caught.value.exit_status) == ("waivers_name", 2)
    assert name in caught.value.message


def test_what_is_no_plain_file_of_the_repository_is_refused(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".dr").mkdir(parents=True)
    (tmp_path / "outside.yaml").write_text("waivers: []\n")
    path = repository / ".dr" / "waivers.yaml"

    def code() -> str:
        with pytest.raises(ToolkitError) as caught:
            read_waiver_file(repository, 100)
        assert caught.value.exit_status == 2
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        return caught.value.code

    path.symlink_to("../../outside.yaml")
    assert code() == "waivers_link"
    path.symlink_to("nowhere")
    assert code() == "waivers_link"
    path.mkdir()
    assert code() == "waivers_not_regular"
    os.mkfifo(path)
    assert code() == "waivers_not_regular"
    path.write_bytes(b"x" * 101)
    assert code() == "waivers_too_large"


def test_a_link_is_not_followed_since_a_change_of_what_it_leads_to_is_no_change_of_the_policies(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/waivers.yaml").write_text("waivers: []\n")
    (tmp_path / ".dr").symlink_to("elsewhere")
    with pytest.raises(ToolkitError) as caught:
        read_waiver_file(tmp_path, 100)
    assert (caught.value.code, caught.value.exit_status) == ("waivers_link", 2)


def test_where_nobody_could_look_is_neither_yes_nor_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(UndeterminedError) as caught:
        read_waiver_file(tmp_path, 100)
    assert caught.value.code == "waivers_unreadable"


def stored(repository: Repository, below: str = "") -> WaiverFile | None:
    return read_stored_waiver_file(open_tree(repository.path / below, "HEAD"), 100)


def test_in_a_tree_the_nearest_file_holds_and_the_working_tree_counts_for_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("nothing", {"a/b/x": "1"})
    (repository.path / ".dr").mkdir()
    (repository.path / ".dr/waivers.yaml").write_text("not committed")
    assert stored(repository, "a/b") is None
    repository.commit("one", {".dr/waivers.yaml": "top", "a/b/.dr/policies/x": "1"})
    assert stored(repository, "a/b") == WaiverFile("HEAD:.dr/waivers.yaml", b"top")
    repository.commit("two", {"a/.dr/waivers.yaml": "a"})
    (repository.path / "a/.dr/waivers.yaml").write_text("not committed")
    assert stored(repository, "a/b") == WaiverFile("HEAD:a/.dr/waivers.yaml", b"a")
    assert stored(repository) == WaiverFile("HEAD:.dr/waivers.yaml", b"top")


@pytest.mark.parametrize(
    ("mode", "path", "content", "code"),
    [
        ("120000", ".dr/waivers.yaml", "../x", "waivers_link"),
        ("120000", ".dr", "elsewhere", "waivers_link"),
        ("160000", ".dr/waivers.yaml", "", "waivers_link"),
        ("160000", ".dr", "", "waivers_link"),
        ("100644", ".dr/waivers.yaml/x", "x", "waivers_not_regular"),
        ("100644", ".dr/waivers.yaml", "x" * 101, "waivers_too_large"),
        ("100644", ".dr/Waivers.yml", "x", "waivers_name"),
    ],
)
def test_what_is_no_plain_file_of_a_tree_is_refused(
    tmp_path: Path, mode: str, path: str, content: str, code: str
) -> None:
    repository = Repository(tmp_path / "repository")
    head = repository.commit("nothing", {"x": "1"})
    oid = head if mode == "160000" else repository.git("hash-object", "-w", "--stdin", stdin=content.encode())
    repository.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}")
    repository.git("commit", "-q", "-m", "staged")
    with pytest.raises(ToolkitError) as caught:
        stored(repository)
    assert (caught.value.code, caught.value.exit_status) == (code, 2)
    assert caught.value.place is not None
    assert caught.value.place.startswith("HEAD:.dr")


@pytest.mark.parametrize("owner", ['"\u200b"', '"-"', '"\u2800\u2800"', '"..."'])
def test_an_owner_whom_nobody_can_see_answers_for_nothing(owner: str, words: Words) -> None:
    assert problems(words, owner=owner) == ["no_owner"]

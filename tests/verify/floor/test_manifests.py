"""Test presence: a note on manifests and tests, whatever stands in the manifests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.floor import manifests
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.task import find_workspace, load_task
from verify.terms import NOTHING_TO_RUN, RAN

TASK = "PTH-0003"
PARAMETERS: dict[str, object] = {
    "manifests": ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "composer.json", "Gemfile"),
    "scripted": ("package.json", "composer.json"),
    "placeholders": ("no test specified",),
    "test_directories": ("tests", "test", "spec"),
    "test_suffixes": ("_test.go", ".test.js"),
    "max_bytes": 1000,
    "max_entries": 100,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    description = tmp_path / f"w/datarim/tasks/{TASK}-task-description.md"
    description.parent.mkdir(parents=True)
    description.write_bytes(b"")
    return tmp_path / "w"


def look(policies: PolicySet, root: Path, framework_root: Path | None = None) -> CheckResult:
    task = load_task(find_workspace(root), TASK, policies)
    entry = CheckEntry("test_presence", "test_presence", "low", "completeness", ("do",), PARAMETERS)
    return manifests.test_presence(entry, FloorContext(task, "do", policies, framework_root))


def note_on(policies: PolicySet, root: Path, content: bytes) -> str:
    (root / "package.json").write_bytes(content)
    result = look(policies, root)
    assert (result.status, result.findings) == (RAN, ())
    return result.detail


def test_without_a_manifest_there_is_nothing_to_run(policies: PolicySet, root: Path) -> None:
    result = look(policies, root)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    assert "package.json" in result.detail


def test_manifests_are_named_in_the_policys_order_with_what_speaks_for_tests(policies: PolicySet, root: Path) -> None:
    (root / "go.mod").write_bytes(b"module x\n")
    (root / "pyproject.toml").write_bytes(b"")
    assert look(policies, root).detail == "pyproject.toml: no tests seen; go.mod: no tests seen"
    (root / "tests").mkdir()
    (root / "store_test.go").write_bytes(b"")
    assert look(policies, root).detail == "pyproject.toml: tests/, *_test.go; go.mod: tests/, *_test.go"


def test_a_manifest_of_the_framework_is_told_apart(policies: PolicySet, root: Path, tmp_path: Path) -> None:
    (tmp_path / "fw/spec").mkdir(parents=True)
    (tmp_path / "fw/Gemfile").write_bytes(b"")
    (root / "go.mod").write_bytes(b"")
    assert look(policies, root, tmp_path / "fw").detail == "go.mod: no tests seen; Gemfile: spec/ (framework)"


def test_a_test_script_counts_unless_it_is_a_placeholder(policies: PolicySet, root: Path) -> None:
    def script(value: object) -> bytes:
        return json.dumps({"scripts": {"test": value}}).encode()

    assert note_on(policies, root, script("jest")) == "package.json: scripts.test"
    assert note_on(policies, root, script(["@lint", "phpunit"])) == "package.json: scripts.test"
    empty: tuple[object, ...] = ('echo "Error: no test specified" && exit 1', "", "  ", None, 7, [], {}, [["x"]])
    assert {note_on(policies, root, script(value)) for value in empty} == {"package.json: no tests seen"}


@pytest.mark.parametrize(
    "content", [b"[]", b"null", b"{}", b'{"scripts": []}', b'{"scripts": "test"}', b'"scripts"', b"1"]
)
def test_json_of_another_shape_has_no_test_script(policies: PolicySet, root: Path, content: bytes) -> None:
    assert note_on(policies, root, content) == "package.json: no tests seen"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\xff", b"[" * 999, b"9" * 999 + b"x", b"\x00"])
def test_a_manifest_that_is_no_json_is_said_to_be_none(policies: PolicySet, root: Path, content: bytes) -> None:
    assert note_on(policies, root, content) == "package.json: not parseable"


def test_json_that_is_too_deep_to_parse_is_said_to_be_none(
    policies: PolicySet, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PARAMETERS, "max_bytes", 1_000_000)
    assert note_on(policies, root, b"[" * 200_000 + b"]" * 200_000) == "package.json: not parseable"


def test_a_manifest_over_the_limit_is_not_read(policies: PolicySet, root: Path) -> None:
    padded = b'{"scripts": {"test": "jest"}}'.ljust(1001)
    assert note_on(policies, root, padded) == "package.json: not read: too_large"


def test_what_is_no_plain_file_is_no_manifest(policies: PolicySet, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_bytes(b'{"scripts": {"test": "jest"}}')
    (root / "package.json").symlink_to(tmp_path / "elsewhere.json")
    (root / "Cargo.toml").mkdir()
    os.mkfifo(root / "composer.json")
    assert look(policies, root).status == NOTHING_TO_RUN


def test_a_link_to_a_test_directory_speaks_for_nothing(policies: PolicySet, root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "tests").symlink_to(tmp_path / "elsewhere")
    (root / "go.mod").write_bytes(b"")
    assert look(policies, root).detail == "go.mod: no tests seen"

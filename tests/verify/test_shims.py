"""Shims in a directory: written all or none, recognised to the byte, never over anybody else's file."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import StorageError
from toolkit.policy.sets import PolicySet
from verify.errors import WorkspaceError
from verify.shims import installing
from verify.shims.installing import install, installed_program, uninstall
from verify.shims.script import Shim, ShimRules, is_ours, script_of

PROGRAM = "/opt/dr/bin/dr-verify"


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> ShimRules:
    return ShimRules.from_policy(policies)


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def test_each_tool_has_its_shim_and_may_be_run(tmp_path: Path, rules: ShimRules) -> None:
    done = install(tmp_path / "bin", PROGRAM, rules)
    assert {one.shim.name: " ".join(one.shim.command) for one in done} == {
        "dr-verify-floor.sh": "floor",
        "resolve-peer-provider.sh": "resolve-provider",
        "check-init-task-presence.sh": "init-task",
        "check-expectations-checklist.sh": "expectations",
        "spec-graph-gate.sh": "spec gate",
        "dr-spec-lint.sh": "spec lint",
        "dr-lint.sh": "spec check",
        "dr-trace.sh": "spec trace",
        "dr-spec-grade.sh": "spec grade",
        "measure-prospective-rate.sh": "stats --json",
    }
    for one in done:
        path = tmp_path / "bin" / one.shim.name
        assert path.stat().st_mode & 0o7777 == 0o755
        assert is_ours(path.read_bytes())
    assert {one.action for one in done} == {"created"}


def test_the_umask_does_not_matter(tmp_path: Path, rules: ShimRules) -> None:
    before = os.umask(0o077)
    try:
        install(tmp_path, PROGRAM, rules)
    finally:
        os.umask(before)
    assert (tmp_path / "dr-lint.sh").stat().st_mode & 0o7777 == 0o755


def test_installing_again_changes_nothing(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, PROGRAM, rules)
    before = {path: path.stat() for path in tmp_path.iterdir()}
    assert {one.action for one in install(tmp_path, PROGRAM, rules)} == {"unchanged"}
    after = {path: path.stat() for path in tmp_path.iterdir()}
    assert {path: (status.st_ino, status.st_mtime_ns) for path, status in after.items()} == {
        path: (status.st_ino, status.st_mtime_ns) for path, status in before.items()
    }


def test_a_shim_that_lost_its_right_to_run_gets_it_back(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, PROGRAM, rules)
    (tmp_path / "dr-lint.sh").chmod(0o600)
    install(tmp_path, PROGRAM, rules)
    assert os.access(tmp_path / "dr-lint.sh", os.X_OK)


def test_shims_of_an_earlier_installation_are_replaced(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, "/old/dr-verify", rules)
    (tmp_path / "dr-lint.sh").unlink()
    done = install(tmp_path, PROGRAM, rules)
    assert {one.shim.name for one in done if one.action == "created"} == {"dr-lint.sh"}
    assert {one.action for one in done} == {"created", "updated"}
    assert all(PROGRAM.encode() in data and b"/old/" not in data for data in content(tmp_path).values())
    assert len(content(tmp_path)) == len(rules.shims)
    assert all(path.stat().st_mode & 0o7777 == 0o755 for path in tmp_path.iterdir())


IN_THE_WAY: dict[str, Callable[[Path], object]] = {
    "a script": lambda path: path.write_text("#!/bin/sh\nexit 0\n"),
    "an empty file": lambda path: path.touch(),
    "a directory": lambda path: path.mkdir(),
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("gone"),
    "a large file": lambda path: path.write_bytes(b"x" * 100_000),
    "a shim that was edited": lambda path: path.write_bytes(
        script_of(Shim(path.name, ("floor",)), PROGRAM, RULES).replace(b"exec ", b"exec  ")
    ),
    "a shim with more behind it": lambda path: path.write_bytes(
        script_of(Shim(path.name, ("floor",)), PROGRAM, RULES) + b"rm -rf x\n"
    ),
}
RULES = ShimRules("DR_VERIFY_PROGRAM", 65536, ())


@pytest.mark.parametrize("kind", IN_THE_WAY)
@pytest.mark.parametrize("name", ["dr-verify-floor.sh", "measure-prospective-rate.sh"])
def test_what_is_not_ours_is_named_and_nothing_is_written(
    kind: str, name: str, tmp_path: Path, rules: ShimRules
) -> None:
    install(tmp_path, "/old/dr-verify", rules)
    (tmp_path / "dr-lint.sh").unlink()
    (tmp_path / name).unlink()
    IN_THE_WAY[kind](tmp_path / name)
    before, names = content_of_plain(tmp_path), sorted(os.listdir(tmp_path))
    with pytest.raises(WorkspaceError) as refused:
        install(tmp_path, PROGRAM, rules)
    assert refused.value.code == "not_a_shim"
    assert str(tmp_path / name) in refused.value.message
    assert (content_of_plain(tmp_path), sorted(os.listdir(tmp_path))) == (before, names)


def content_of_plain(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file() and not path.is_symlink()}


def test_a_link_to_a_shim_of_ours_is_not_followed(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path / "one", "/old/dr-verify", rules)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "dr-lint.sh").symlink_to(tmp_path / "one" / "dr-lint.sh")
    before = content(tmp_path / "one")
    with pytest.raises(WorkspaceError, match="symbolic link"):
        install(tmp_path / "two", PROGRAM, rules)
    assert [one.action for one in uninstall(tmp_path / "two", rules) if one.action != "absent"] == ["left"]
    assert content(tmp_path / "one") == before


@pytest.mark.parametrize("at", [1, 4, 10])
def test_a_write_that_fails_leaves_everything_as_it_was(
    at: int, tmp_path: Path, rules: ShimRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "/old/dr-verify", rules)
    for name in ("dr-lint.sh", "dr-trace.sh"):
        (tmp_path / name).unlink()
    before = content(tmp_path)
    calls = iter(range(1, 100))
    publish = installing.publish_new

    def full_disk(path: Path, data: bytes, mode: int) -> bool:
        if next(calls) == at:
            raise StorageError("no_space", f"{path} could not be written")
        return publish(path, data, mode)

    monkeypatch.setattr(installing, "publish_new", full_disk)
    with pytest.raises(StorageError):
        install(tmp_path, PROGRAM, rules)
    assert content(tmp_path) == before
    assert len(os.listdir(tmp_path)) == len(before)


def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, rules: ShimRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = installing.publish_new

    def raced(path: Path, data: bytes, mode: int) -> bool:
        if path.name == "dr-trace.sh":
            path.write_text("theirs")
        return publish(path, data, mode)

    monkeypatch.setattr(installing, "publish_new", raced)
    with pytest.raises(WorkspaceError, match="appeared"):
        install(tmp_path, PROGRAM, rules)
    assert content(tmp_path) == {"dr-trace.sh": b"theirs"}


def test_uninstalling_removes_ours_and_names_the_rest(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, PROGRAM, rules)
    (tmp_path / "dr-lint.sh").write_text("#!/bin/sh\n")
    (tmp_path / "dr-trace.sh").unlink()
    (tmp_path / "mine.sh").write_text("mine")
    done = {one.shim.name: one for one in uninstall(tmp_path, rules)}
    assert done["dr-lint.sh"].action == "left"
    assert done["dr-lint.sh"].reason
    assert done["dr-trace.sh"].action == "absent"
    assert sorted(content(tmp_path)) == ["dr-lint.sh", "mine.sh"]
    assert {one.action for one in uninstall(tmp_path / "nowhere", rules)} == {"absent"}


def test_uninstalling_removes_what_an_earlier_installation_wrote(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, "/old/dr-verify", rules)
    assert {one.action for one in uninstall(tmp_path, rules)} == {"removed"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["a b", "it's", '"x" $HOME `id` \\', "line\nbreak", "@NAME@", "русский", "-n", "*"])
def test_a_program_at_any_path_is_run_with_the_arguments_as_they_came(
    folder: str, tmp_path: Path, rules: ShimRules
) -> None:
    program = tmp_path / folder / "dr-verify"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done\nexit 7\n')
    program.chmod(0o755)
    install(tmp_path / "bin", str(program), rules)
    (tmp_path / "link.sh").symlink_to(tmp_path / "bin" / "spec-graph-gate.sh")
    given_ = ["--task=ABC-0001", "", "two words", "$(id)", "*", "-", "--", "'\"\n"]
    for script in (tmp_path / "bin" / "spec-graph-gate.sh", tmp_path / "link.sh"):
        result = subprocess.run([script, *given_], cwd="/", env={"PATH": ""}, capture_output=True, check=False)
        assert result.returncode == 7, result.stderr
        assert result.stdout.decode().split("\0")[:-1] == ["spec", "gate", *given_]


def test_a_path_that_is_no_text_is_kept_to_the_byte(tmp_path: Path, rules: ShimRules) -> None:
    program = os.fsdecode(b"/opt/\xff/dr-verify")
    script = script_of(rules.shims[0], program, rules)
    assert b"/opt/\xff/dr-verify" in script
    assert is_ours(script)


def test_the_variable_names_another_program(tmp_path: Path, rules: ShimRules) -> None:
    install(tmp_path, "/nowhere/dr-verify", rules)
    script = str(tmp_path / "dr-verify-floor.sh")
    other = {"DR_VERIFY_PROGRAM": "/bin/echo"}
    assert subprocess.run([script, "-x"], env=other, capture_output=True, check=True).stdout == b"floor -x\n"
    empty = subprocess.run([script], env={"DR_VERIFY_PROGRAM": ""}, capture_output=True, check=False)
    assert empty.returncode in {126, 127}
    assert b"/nowhere/dr-verify" in empty.stderr


@given(program=st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=60))
def test_no_path_breaks_out_of_its_quotes(program: str, rules: ShimRules) -> None:
    script = script_of(rules.shims[0], "/" + program, rules).decode()
    assignment = script[script.index("DR_VERIFY_PROGRAM=") :].removeprefix("DR_VERIFY_PROGRAM=")
    assert shlex.split(assignment[: assignment.index("\nfi\nexec ")], comments=False) == ["/" + program]


@given(st.binary(max_size=400))
def test_nothing_but_a_whole_shim_is_taken_for_one(data: bytes) -> None:
    assert not is_ours(data)
    whole = script_of(Shim("dr-lint.sh", ("spec", "check")), PROGRAM, RULES)
    assert not is_ours(data + whole) or not data
    assert not is_ours(whole + data) or not data


def test_the_program_is_the_one_that_was_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "venv" / "dr-verify"
    real.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    link = tmp_path / "dr-verify"
    link.symlink_to(real)
    monkeypatch.chdir(tmp_path)
    assert installed_program(str(real)) == str(real)
    assert installed_program(str(link)) == str(link)
    assert installed_program("./dr-verify") == str(link)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_program("dr-verify") == str(link)


def test_started_in_another_way_the_program_beside_the_interpreter_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installing.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(WorkspaceError, match="was not found"):
        installed_program("pytest")
    (tmp_path / "dr-verify").write_text("#!/bin/sh\n")
    with pytest.raises(WorkspaceError, match="was not found"):
        installed_program("pytest")
    (tmp_path / "dr-verify").chmod(0o755)
    assert installed_program("pytest") == str(tmp_path / "dr-verify")

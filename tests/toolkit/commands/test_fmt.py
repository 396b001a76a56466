"""``dr-policy fmt``: which files it takes, what it writes and says, and what it leaves alone."""

from __future__ import annotations

import json
import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from commands_support import Run
from jsonschema import Draft202012Validator
from repository_support import Repository
from sources_support import write

from toolkit.errors import StorageError
from toolkit.sources.writable import find_writable, write_anew

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/dr-policy.fmt.v1.json").read_bytes())
UNFORMED = "# Why.\n\nkind: vocabulary\npolicy:   v1 # one\nid: 'repo.words'\n"
FORMED = "# Why.\n\npolicy: v1  # one\nkind: vocabulary\nid: repo.words\n"
BROKEN = "policy: v1\nkind: ~\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two policies, one of them not in the form, a configuration, and another YAML file."""
    made = Repository(tmp_path / "repository")
    write(made.path, "words.yaml", UNFORMED)
    write(made.path, "deep/formed.yaml", FORMED.replace("words", "formed"))
    (made.path / ".dr/config.yaml").write_text("profile:   atomic\n")
    (made.path / "workflow.yaml").write_text("on: [push,   &x pull]\n")
    (made.path / "workflow.yml").write_text("on: [push]\n")
    return made.path


def test_without_a_path_it_formats_the_policies_and_the_configuration_of_the_repository(run: Run, root: Path) -> None:
    result = run("fmt")
    assert result.status == 0
    assert result.out.splitlines() == ["formatted: .dr/config.yaml", "formatted: .dr/policies/words.yaml"]
    assert result.err == "2 formatted, 1 in form already\n"
    assert (root / ".dr/policies/words.yaml").read_text() == FORMED
    assert (root / ".dr/config.yaml").read_text() == "profile: atomic\n"
    assert (root / "workflow.yaml").read_text() == "on: [push,   &x pull]\n"
    again = run("fmt", "--check")
    assert (again.status, again.out, again.err) == (0, "", "0 would change, 3 in form already\n")


def test_check_names_what_would_change_and_writes_nothing(run: Run, root: Path) -> None:
    result = run("fmt", "--check")
    assert result.status == 1
    assert result.out.splitlines() == ["would change: .dr/config.yaml", "would change: .dr/policies/words.yaml"]
    assert (root / ".dr/policies/words.yaml").read_text() == UNFORMED


def test_diff_shows_what_would_change_and_writes_nothing(run: Run, root: Path) -> None:
    result = run("fmt", "--diff", ".dr/policies")
    assert result.status == 0
    assert "-policy:   v1 # one" in result.out
    assert "+policy: v1  # one" in result.out
    assert (root / ".dr/policies/words.yaml").read_text() == UNFORMED
    assert run("fmt", "--diff", "--check", ".dr/policies").status == 1


def test_json_is_as_the_schema_says(run: Run, root: Path) -> None:
    for arguments, status in ((["--check"], 1), ([], 0), (["--check"], 0), (["nowhere.yaml"], 2)):
        result = run("fmt", "--json", *arguments)
        assert result.status == status
        assert result.err == ""
        Draft202012Validator(SCHEMA).validate(result.json)
        assert result.json["ok"] is (status == 0)
    write(root, "words.yaml", UNFORMED)
    files = run("fmt", "--json").json["files"]
    assert {"changed": True, "file": ".dr/policies/words.yaml"} in files
    assert {"changed": False, "file": ".dr/config.yaml"} in files


def test_in_a_folder_it_takes_policies_and_leaves_other_files_alone(run: Run, root: Path) -> None:
    (root / "drafts").mkdir()
    (root / "drafts/a.yaml").write_text('{"id": 1, "policy": "v1"}')
    other = "spec:\n    policy: v1\npolicy:   strict\n"
    (root / "drafts/other.yaml").write_text(other)
    result = run("fmt", ".")
    assert result.status == 0
    assert result.out.splitlines() == ["formatted: .dr/policies/words.yaml", "formatted: drafts/a.yaml"]
    assert (root / "workflow.yaml").read_text() == "on: [push,   &x pull]\n"
    assert (root / "drafts/other.yaml").read_text() == other


def test_a_file_that_is_no_policy_is_left_as_it_is_and_the_others_are_formatted(run: Run, root: Path) -> None:
    write(root, "broken.yaml", BROKEN)
    result = run("fmt")
    assert result.status == 2
    assert ".dr/policies/broken.yaml:2:7: ambiguous_scalar: " in result.err
    assert result.err.endswith("2 formatted, 1 in form already, 1 left as they are\n")
    assert (root / ".dr/policies/broken.yaml").read_text() == BROKEN
    assert (root / ".dr/policies/words.yaml").read_text() == FORMED
    assert run("fmt", "--json").json["error"]["code"] == "ambiguous_scalar"


def test_standard_input_goes_to_standard_output(run: Run) -> None:
    result = run("fmt", "-", stdin=UNFORMED.encode())
    assert (result.status, result.out, result.err) == (0, FORMED, "")
    assert run("fmt", "-", "--check", stdin=UNFORMED.encode()).status == 1
    assert run("fmt", "-", "--check", stdin=FORMED.encode()).status == 0
    document = run("fmt", "-", "--json", stdin=UNFORMED.encode()).json
    Draft202012Validator(SCHEMA).validate(document)
    assert document["files"] == [{"changed": True, "file": "-", "text": FORMED}]
    broken = run("fmt", "-", stdin=BROKEN.encode())
    assert (broken.status, broken.out) == (2, "")
    assert "<stdin>:2:7: ambiguous_scalar" in broken.err
    assert run("fmt", "-", ".dr", stdin=b"").status == 2


def test_a_repository_without_policies_has_nothing_to_format(run: Run, root: Path, tmp_path: Path) -> None:
    result = run("fmt", "--cwd", str(tmp_path))
    assert (result.status, result.out, result.err) == (0, "", "there is no policy here to format\n")
    assert run("fmt", "--cwd", str(tmp_path), "--json").json["files"] == []


def test_a_file_keeps_its_permissions(run: Run, root: Path) -> None:
    path = root / ".dr/policies/words.yaml"
    path.chmod(0o640)
    assert run("fmt").status == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_no_link_is_followed_out_of_the_repository(run: Run, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(UNFORMED)
    link = root / ".dr/policies/link.yaml"
    link.symlink_to(outside)
    for arguments in ([], [".dr/policies"], [".dr/policies/link.yaml"]):
        result = run("fmt", *arguments)
        assert result.status == 2
        assert ".dr/policies/link.yaml: policy_outside_repository" in result.err
    assert outside.read_text() == UNFORMED
    assert link.is_symlink()


def test_a_link_inside_the_repository_stays_one_and_its_file_is_formatted_once(run: Run, root: Path) -> None:
    link = root / ".dr/policies/link.yaml"
    link.symlink_to("words.yaml")
    assert len(run("fmt", ".dr/policies", ".dr/policies/words.yaml").out.splitlines()) == 1
    assert link.is_symlink()
    assert (root / ".dr/policies/words.yaml").read_text() == FORMED


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(root: Path) -> None:
    (file,) = (one for one in find_writable(root, []).files if one.name.endswith("words.yaml"))
    file.path.write_text("policy: v1\n")
    with pytest.raises(StorageError) as caught:
        write_anew(file, FORMED.encode())
    assert (caught.value.code, caught.value.place) == ("changed_meanwhile", ".dr/policies/words.yaml")
    assert file.path.read_text() == "policy: v1\n"


def test_two_at_once_leave_whole_files(root: Path) -> None:
    from click.testing import CliRunner

    from toolkit.commands.fmt import fmt

    for number in range(20):
        write(root, f"words-{number}.yaml", UNFORMED)
    threads = [threading.Thread(target=_format, args=(root,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert CliRunner().invoke(fmt, ["--check", "--cwd", str(root)]).exit_code == 0
    assert all(path.read_text() == FORMED for path in (root / ".dr/policies").glob("words-*.yaml"))
    assert not list(root.rglob("*.tmp"))


def _format(root: Path) -> None:
    from toolkit.authoring.formatting import format_policy

    for file in find_writable(root, []).files:
        with suppress(StorageError):  # the other one was there before
            write_anew(file, format_policy(file.data, file.name))


def test_more_files_than_a_set_has_are_refused_and_not_cut(run: Run, root: Path) -> None:
    folder = root / "many"
    folder.mkdir()
    for number in range(1001):
        (folder / f"{number}.yaml").write_bytes(b"policy:  v1\n")
    result = run("fmt", "many")
    assert result.status == 2
    assert "too_many_documents" in result.err
    assert (folder / "0.yaml").read_bytes() == b"policy:  v1\n"
    os.remove(folder / "0.yaml")
    assert run("fmt", "many").err == "1000 formatted, 0 in form already\n"

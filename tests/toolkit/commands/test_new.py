"""``dr-policy new``: a first file of each kind is green as it stands, and nothing is ever written over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from jsonschema import Draft202012Validator
from repository_support import Repository
from sources_support import LIMITS, write

from toolkit.authoring.formatting import format_policy
from toolkit.sources import load_policies

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that begins with policies."""
    made = Repository(tmp_path / "repository").path
    (made / ".dr").mkdir()
    (made / ".dr/config.yaml").write_text("profile: compact\n")
    return made


def files(root: Path) -> set[str]:
    """The policies of a repository."""
    return {path.relative_to(root).as_posix() for path in (root / ".dr/policies").rglob("*") if path.is_file()}


def told(run: Run, *arguments: str) -> Any:
    result = run("new", *arguments, "--json")
    assert result.status == 0, result.err
    schema = json.loads((SCHEMAS / "dr-policy.new.v1.json").read_bytes())
    Draft202012Validator(schema).validate(result.json)
    return result.json


def refused(run: Run, *arguments: str) -> Any:
    result = run("new", *arguments, "--json")
    assert result.status == 2
    assert result.json["error"]["next"]
    return result.json["error"]


KINDS = {
    "vocabulary": ("vocabulary", "repo.words"),
    "table": ("table", "repo.rows"),
    "machine": ("machine", "repo.lamp"),
    "overlay of a table": ("overlay", "repo.edit", "--base", "review.risk"),
    "overlay of an each table": ("overlay", "repo.edit", "--base", "review.risk-signals"),
    "overlay of a machine": ("overlay", "repo.edit", "--base", "review.lifecycle"),
    "overlay of a vocabulary": ("overlay", "repo.edit", "--base", "verify.severity"),
    "overlay of data": ("overlay", "repo.edit", "--base", "verify.floor"),
}


@pytest.mark.parametrize(
    ("kind", "profile"), [*((kind, "compact") for kind in KINDS), ("overlay of a table", "atomic")]
)
def test_a_first_file_of_every_kind_is_green_as_it_stands(kind: str, profile: str, run: Run, root: Path) -> None:
    arguments = KINDS[kind]
    (root / ".dr/config.yaml").write_text(f"profile: {profile}\n")
    before = {one: load_policies(root).policies.digest(one) for one in load_policies(root).policies.ids}

    made = told(run, *arguments)["files"]

    assert run("check").status == 0
    tested = run("test", "--json")
    assert tested.status == 0, tested.out
    loaded = load_policies(root).policies
    assert {one: loaded.digest(one) for one in before} == before
    assert set(loaded.ids) - set(before) == ({one["id"] for one in made} if arguments[0] != "overlay" else set())
    for one in made:
        path = root / one["file"]
        assert path.read_text() == one["text"]
        assert format_policy(path.read_bytes(), one["file"]) == path.read_bytes()
        schema = path.parent / one["text"].splitlines()[0].partition("$schema=")[2]
        assert schema.resolve().is_relative_to(root / ".dr/schemas")
        assert json.loads(schema.read_bytes())["title"].endswith(arguments[0] if len(made) == 1 else one_kind(one))


def one_kind(one: Any) -> str:
    kind: str = next(line for line in one["text"].splitlines() if line.startswith("kind: "))
    return kind.removeprefix("kind: ")


def test_its_cases_are_run_and_cover_it(run: Run, root: Path) -> None:
    told(run, "table", "repo.rows")
    told(run, "machine", "repo.lamp")

    for document, cases in (("repo.rows", 3), ("repo.lamp", 3)):
        result = run("test", document, "--require-all", "--json")
        assert result.status == 0
        assert [case["outcome"] for case in result.json["cases"]] == ["pass"] * cases


def test_dots_of_an_id_are_folders(run: Run, root: Path) -> None:
    told(run, "table", "repo.billing.signals.path")

    assert files(root) == {".dr/policies/billing/signals/path.yaml"}
    assert run("check").status == 0


def test_it_says_what_it_wrote_from_where_one_stands_and_how_to_go_on(run: Run, root: Path) -> None:
    (root / "src").mkdir()
    result = run("new", "machine", "repo.lamp", "--cwd", str(root / "src"))

    assert result.out.splitlines() == [
        "wrote ../.dr/policies/lamp-state.yaml",
        "wrote ../.dr/policies/lamp.yaml",
        "next: edit it, then",
        "  dr-policy check",
        "  dr-policy test",
    ]


def test_a_dry_run_prints_the_file_and_writes_nothing(run: Run, root: Path) -> None:
    dry = run("new", "table", "repo.rows", "--dry-run")
    assert (dry.status, files(root)) == (0, set())
    assert not (root / ".dr/schemas").exists()
    assert told(run, "table", "repo.rows", "--dry-run")["written"] is False

    assert told(run, "table", "repo.rows")["written"] is True
    assert (root / ".dr/policies/rows.yaml").read_text() == dry.out
    both = run("new", "machine", "repo.lamp", "--dry-run").out.splitlines()
    assert [line for line in both if line.startswith("# .dr/")] == [
        "# .dr/policies/lamp-state.yaml",
        "# .dr/policies/lamp.yaml",
    ]


def test_a_dry_run_needs_no_layer(run: Run, tmp_path: Path) -> None:
    assert run("new", "table", "repo.rows", "--dry-run", "--cwd", str(tmp_path)).status == 0


# Nothing is written over.


def test_an_id_that_stands_already_is_refused(run: Run, root: Path) -> None:
    told(run, "table", "repo.rows")
    before = (root / ".dr/policies/rows.yaml").read_bytes()

    error = refused(run, "vocabulary", "repo.rows")

    assert (error["code"], error["next"]) == ("duplicate_id", "edit .dr/policies/rows.yaml")
    assert (root / ".dr/policies/rows.yaml").read_bytes() == before


def test_a_file_that_stands_already_is_refused_before_anything_is_written(run: Run, root: Path) -> None:
    write(root, "lamp.yaml", LIMITS)

    assert refused(run, "machine", "repo.lamp")["place"] == ".dr/policies/lamp.yaml"
    assert files(root) == {".dr/policies/lamp.yaml"}
    assert not (root / ".dr/schemas").exists()


def test_a_machine_whose_states_were_written_and_which_was_not_is_completed(run: Run, root: Path) -> None:
    told(run, "machine", "repo.lamp")
    machine = root / ".dr/policies/lamp.yaml"
    text = machine.read_bytes()
    machine.unlink()

    assert [one["id"] for one in told(run, "machine", "repo.lamp")["files"]] == ["repo.lamp"]
    assert machine.read_bytes() == text
    assert run("check").status == 0


def test_a_schema_that_stands_already_is_left(run: Run, root: Path) -> None:
    (root / ".dr/schemas").mkdir()
    (root / ".dr/schemas/table.json").write_text("{}")

    told(run, "table", "repo.rows")
    told(run, "vocabulary", "repo.words")

    assert (root / ".dr/schemas/table.json").read_text() == "{}"
    assert {path.name for path in (root / ".dr/schemas").iterdir()} == {"table.json", "vocabulary.json"}


@pytest.mark.parametrize("linked", [".dr/policies/deep", ".dr/schemas"])
def test_nothing_is_written_out_of_the_repository(linked: str, run: Run, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside)

    result = run("new", "table", "repo.deep.rows", "--json")

    assert result.status == 2
    assert result.json["error"]["code"] == "policy_outside_repository"
    assert not list(outside.iterdir())


def test_a_limit_on_file_sizes_is_told_and_no_half_file_is_left(run: Run, root: Path) -> None:
    told(run, "vocabulary", "repo.words")
    told(run, "table", "repo.rows")
    script = (
        "import resource, sys\nfrom toolkit.commands.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "sys.argv = ['dr-policy', 'new', 'table', 'repo.more', '--cwd', sys.argv[1]]\nmain()\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, str(root)], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 3
    assert "[file_too_large]" in done.stderr
    assert files(root) == {".dr/policies/words.yaml", ".dr/policies/rows.yaml"}


# What is refused.


def test_without_a_layer_the_next_move_is_init(run: Run, tmp_path: Path) -> None:
    for directory in (tmp_path / "bare", Repository(tmp_path / "empty").path):
        directory.mkdir(exist_ok=True)
        error = refused(run, "table", "repo.rows", "--cwd", str(directory))
        assert (error["code"], error["next"]) == ("no_layer", "dr-policy init")
        assert not [one for one in os.listdir(directory) if one != ".git"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("table", "review.risk"), "duplicate_id"),
        (("table", "billing.rows"), "foreign_pack"),
        (("table", "user.rows"), "foreign_pack"),
        (("table", "../../etc/passwd"), "bad_id"),
        (("table", "repo.\x1b]0;x\x07"), "bad_id"),
        (("table", "repo." + "x" * 300), "bad_id"),
        (("table", "repo.nul"), "reserved_name"),
        (("data", "repo.limits"), "data_without_reader"),
        (("overlay", "repo.edit"), "no_base"),
        (("table", "repo.rows", "--base", "review.risk"), "base_misplaced"),
        (("overlay", "repo.edit", "--base", "review.riks"), "unknown_document"),
    ],
)
def test_what_can_not_be_begun_is_refused_with_the_next_legal_move(
    arguments: tuple[str, ...], code: str, run: Run, root: Path
) -> None:
    assert refused(run, *arguments)["code"] == code
    assert not (root / ".dr/policies").exists()


def test_a_kind_that_is_none_is_wrong_usage(run: Run) -> None:
    assert run("new", "tabel", "repo.rows").status == 2
    assert run("new", "table").status == 2


def test_beside_policies_that_do_not_load_the_problems_are_told(run: Run, root: Path) -> None:
    write(root, "broken.yaml", "policy: v1\n")

    result = run("new", "table", "repo.rows")

    assert result.status == 2
    assert ".dr/policies/broken.yaml:1:1: missing_key" in result.err
    assert files(root) == {".dr/policies/broken.yaml"}

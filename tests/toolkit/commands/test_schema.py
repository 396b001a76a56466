"""``dr-policy schema``: one schema on standard output, or the files of all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from jsonschema import Draft7Validator, Draft202012Validator
from policy_support import head
from repository_support import Repository
from sources_support import write

from toolkit.authoring.schemas.published import NAMES
from toolkit.commands.schema import MORE_KINDS
from toolkit.policy.documents.heads import KINDS

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
WORDS = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Repository(tmp_path / "repository").path
    write(made, "words.yaml", WORDS)
    return made


def held(document: Any) -> Any:
    Draft202012Validator(json.loads((SCHEMAS / "dr-policy.schema.v1.json").read_bytes())).validate(document)
    return document


def test_the_command_offers_what_there_is() -> None:
    assert (*KINDS, *MORE_KINDS) == NAMES


@pytest.mark.parametrize("kind", NAMES)
def test_one_schema_is_printed_and_nothing_else(kind: str, run: Run) -> None:
    result = run("schema", kind)

    assert (result.status, result.err) == (0, "")
    schema = json.loads(result.out)
    Draft7Validator.check_schema(schema)
    assert result.out == json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    document = held(run("schema", kind, "--json").json)
    assert (document["kind"], document["json_schema"]) == (kind, schema)


def test_without_a_kind_it_is_the_schema_of_any_document(run: Run) -> None:
    assert run("schema").out == run("schema", "policy").out
    assert held(run("schema", "--json").json)["kind"] == "policy"


def test_what_stands_in_the_repository_is_offered_from_where_it_is_read(run: Run, root: Path) -> None:
    repository = Repository(root)
    repository.commit("without", delete=[".dr/policies/words.yaml"])
    write(root, "words.yaml", WORDS)

    assert '"repo.words"' in run("schema", "table").out
    assert '"repo.words"' not in run("schema", "table", "--policy-from", "HEAD").out


def test_of_policies_that_do_not_load_what_is_shipped_is_offered(run: Run, root: Path) -> None:
    write(root, "broken.yaml", "policy: v1\n")

    result = run("schema", "overlay", "--json")

    assert result.status == 0
    assert "don't load" in result.err
    offered = result.json["json_schema"]["properties"]["base"]["properties"]["id"]["examples"]
    assert "review.risk" in offered
    assert "repo.words" not in offered


def test_all_schemas_are_written_and_brought_up_to_date(run: Run, root: Path) -> None:
    first = held(run("schema", "--out", "out", "--json").json)
    again = held(run("schema", "--out", "out", "--json").json)

    assert first["files"] == [{"file": f"{name}.json", "outcome": "written"} for name in NAMES]
    assert {one["outcome"] for one in again["files"]} == {"unchanged"}
    assert sorted(path.stem for path in (root / "out").iterdir()) == sorted(NAMES)
    for name in NAMES:
        assert (root / "out" / f"{name}.json").read_text() == run("schema", name).out
    (root / "out/table.json").write_text("{}")
    kept = run("schema", "--out", "out")
    assert kept.status == 0
    assert "table.json" in kept.err
    assert (root / "out/table.json").read_text() == "{}"


def test_one_kind_is_written_alone(run: Run, root: Path) -> None:
    result = run("schema", "table", "--out", str(root / "one"))

    assert result.out == "written    table.json\n"
    assert [path.name for path in (root / "one").iterdir()] == ["table.json"]


def test_where_nothing_can_be_written_that_is_told(run: Run, root: Path) -> None:
    (root / "file").write_text("")

    for place in ("file/out", "none/out"):
        result = run("schema", "--out", place, "--json")
        assert result.status == 3
        assert result.json["error"]["code"] == "not_writable"


def test_a_kind_that_is_none_is_wrong_usage(run: Run) -> None:
    assert run("schema", "tables").status == 2
    assert run("schema", "table", "--policy-from", "nowhere").status == 2


def test_a_folder_without_a_name_is_not_the_current_one(run: Run, root: Path) -> None:
    before = sorted(root.iterdir())

    result = run("schema", "--out", "", "--json")

    assert (result.status, result.json["error"]["code"]) == (2, "usage")
    assert "--out" in result.json["error"]["message"]
    assert sorted(root.iterdir()) == before
    assert run("schema", "table", "--out", ".").status == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_standard_output_is_told_with_a_step_that_this_program_has(root: Path) -> None:
    command = [sys.executable, "-c", "from toolkit.commands.main import main; main()", "schema", "table"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, check=False, cwd=root, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert "output_not_writable" in done.stderr
    assert "next: " in done.stderr
    assert "--output" not in done.stderr

"""Reproducible evidence is wired where its artifact is a file, or where something that runs names it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from captured_support import ID, checklist, wish, write

from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact
from verify.captured import Problem
from verify.criteria import CriteriaRules
from verify.errors import VerificationUndetermined
from verify.expectations.reading import Expectations, read_expectations
from verify.expectations.rules import ExpectationRules
from verify.expectations.validation import all_static, validate, wiring_of
from verify.expectations.wiring import Wiring
from verify.workspace import find_workspace

Check = Callable[..., tuple[Problem, ...]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace inside a repository."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "work" / "datarim").mkdir(parents=True)
    return tmp_path / "work"


def read(policies: PolicySet, *wishes: str, version: int = 3) -> Expectations:
    artifact = Artifact("expectations", f"{ID}-expectations.md", checklist(*wishes, version=version), "sha256:0")
    labels = CriteriaRules.from_policy(policies).labels
    return read_expectations(artifact, ExpectationRules.from_policy(policies), labels)


def evidence(artifact: str, wish_id: str = "totals") -> str:
    return wish(wish_id, fields={"verification_mode": "reproducible", "evidence_artifact": artifact})


@pytest.fixture
def check(policies: PolicySet, root: Path) -> Check:
    rules = ExpectationRules.from_policy(policies)
    return lambda *artifacts: validate(
        read(policies, *(evidence(one, f"w{at}") for at, one in enumerate(artifacts))),
        rules,
        lambda: wiring_of(find_workspace(root), rules, policies),
    )


@pytest.mark.parametrize(
    "artifact", ["tests/totals.bats", "./tests/totals.bats", "`tests/totals.bats`", "tests/totals.bats:3"]
)
def test_an_artifact_that_is_a_file_is_wired(check: Check, root: Path, artifact: str) -> None:
    write(root, "tests/totals.bats", "@test x { true; }\n")
    assert not check(artifact)


def test_a_file_of_the_repository_around_the_workspace_is_wired(check: Check, root: Path) -> None:
    write(root.parent, "checks/run.py", "")
    assert not check("checks/run.py")


@pytest.mark.parametrize("artifact", ["tests", "nowhere.bats", "../outside.sh", "/etc/passwd", "", "a\u00a0b"])
def test_what_is_no_file_and_is_named_nowhere_is_not_wired(check: Check, root: Path, artifact: str) -> None:
    write(root, "tests/other.bats", "@test x { true; }\n")
    (problem,) = check(artifact)
    assert problem.code == "verification-not-wired"
    assert problem.message.startswith("verification-not-wired: ")


@pytest.mark.parametrize(
    "path", ["t/x.bats", "run.sh", ".github/workflows/ci.yml", "deep/er/still.yaml", "../ci/all.yml"]
)
def test_a_name_in_something_that_runs_is_wired(check: Check, root: Path, path: str) -> None:
    write(root, path, "run: make totals-survive # always\n")
    assert not check("totals-survive")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("notes.md", "totals-survive"),
        ("x.py", "totals-survive"),
        ("x.sh", "my-totals-survive and totals-survive-twice and totals-survives"),
        ("node_modules/a/x.sh", "totals-survive"),
        ("../.git/hooks/x.sh", "totals-survive"),
        ("x.sh", ""),
    ],
)
def test_a_name_elsewhere_or_inside_another_one_is_not(check: Check, root: Path, path: str, text: str) -> None:
    write(root, path, text)
    assert [problem.code for problem in check("totals-survive")] == ["verification-not-wired"]


def test_links_are_not_followed_out_of_the_repository(
    check: Check, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside, "x.sh", "totals-survive\n")
    (root / "linked").symlink_to(outside)
    (root / "x.sh").symlink_to(outside / "x.sh")
    (root / "loop").symlink_to(root)
    assert [problem.code for problem in check("totals-survive", "linked/x.sh", "x.sh")] == [
        "verification-not-wired"
    ] * 3


def test_each_wish_is_told_by_itself_and_in_order(check: Check, root: Path) -> None:
    write(root, "x.sh", "second\n")
    found = check("first", "second", "third")
    assert ["'w0'" in found[0].message, "'w2'" in found[1].message] == [True, True]
    assert found[0].line < found[1].line


def test_evidence_of_one_look_needs_no_wiring(policies: PolicySet, root: Path) -> None:
    once = wish(fields={"verification_mode": "one-off", "evidence_artifact": "nowhere.bats"})
    earlier = wish(fields={"verification_mode": "reproducible"})
    rules = ExpectationRules.from_policy(policies)

    def never() -> Wiring:
        raise AssertionError

    for document in (read(policies, once), read(policies, earlier, version=2)):
        assert not validate(document, rules, never)


def test_a_search_that_ends_at_its_bounds_is_undetermined_and_no_answer(policies: PolicySet, root: Path) -> None:
    wiring = ExpectationRules.from_policy(policies).wiring
    for number in range(20):
        write(root, f"d{number}/x.sh", "nothing here\n")
    document, place = read(policies, evidence("far-away")), find_workspace(root)
    for bounds in ({"max_entries": 3}, {"max_total_bytes": 20}, {"max_file_bytes": 4}, {"max_names": 0}):
        with pytest.raises(VerificationUndetermined) as caught:
            Wiring(place, wiring._replace(**bounds), 40).unwired(document)
        assert caught.value.code == "wiring_undetermined"
        assert "far-away" in caught.value.message
    write(root, "a.sh", "far-away\n")
    assert not Wiring(place, wiring._replace(max_entries=3), 40).unwired(document)


def test_other_problems_are_told_where_the_wiring_is_undetermined(policies: PolicySet, root: Path) -> None:
    rules = ExpectationRules.from_policy(policies)
    narrow = rules._replace(wiring=rules.wiring._replace(max_names=0))

    def wiring() -> Wiring:
        return wiring_of(find_workspace(root), narrow, policies)

    broken = read(policies, evidence("x"), wish("b", "done", {"verification_mode": "one-off"}))
    assert [one.code for one in validate(broken, narrow, wiring)] == ["status"]
    with pytest.raises(VerificationUndetermined):
        validate(read(policies, evidence("x")), narrow, wiring)


def test_hostile_names_and_files_break_nothing(check: Check, root: Path) -> None:
    write(root, "bad.sh", b"\xff\xfe (((( wanted[ \n")
    with open(os.fsencode(root) + b"/\xff.sh", "wb") as file:
        file.write(b"other(\n")
    os.mkfifo(root / "pipe.sh")
    assert not check("wanted[", "other(")
    assert len(check("(.*)+$", "x" * 3000)) == 2


def test_wishes_that_are_all_static_are_seen(policies: PolicySet) -> None:
    rules = ExpectationRules.from_policy(policies)
    static = {"evidence_type": "static"}
    assert all_static(read(policies, wish("a", fields=static), wish("b", fields=static), version=2), rules)
    assert not all_static(read(policies, wish("a", fields=static), version=2), rules)
    assert not all_static(read(policies, wish("a", fields=static), wish("b"), version=2), rules)


def test_the_files_of_a_workspace_are_read_once_for_all_its_checklists(policies: PolicySet, root: Path) -> None:
    file = write(root, "x.sh", "first second\n")
    wiring = wiring_of(find_workspace(root), ExpectationRules.from_policy(policies), policies)
    assert not wiring.unwired(read(policies, evidence("first")))
    assert len(wiring.unwired(read(policies, evidence("third")))) == 1
    file.unlink()
    assert not wiring.unwired(read(policies, evidence("second")))

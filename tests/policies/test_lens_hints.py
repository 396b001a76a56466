"""Which one lens an ordinary change is given: from the hints of its files to what most of its lines call for."""

from __future__ import annotations

import pytest

from toolkit.policy.sets import PolicySet


def dominant(policies: PolicySet, *files: tuple[str, int, str]) -> str:
    """The lens for files of (path, authored lines, added text), none of them proven passive."""
    facts = [
        {"path": path, "change": "modified", "authored_lines": lines, "added_text": text}
        | {"old_mode": "100644", "new_mode": "100644"}
        for path, lines, text in files
    ]
    named: dict[str, set[int]] = {}
    for decision in policies.table("review.lens-hints").decide_all(files=facts):
        assert decision.item is not None
        named.setdefault(str(decision.outputs["lens"]), set()).add(decision.item)
    sums = {
        f"{lens}_lines": sum(files[item][1] for item in named.get(lens, ()))
        for lens in ("risk", "resilience", "readability")
    }
    total = sum(lines for _, lines, _ in files)
    decision = policies.table("review.dominant-lens").decide(passive=False, authored_lines=total, **sums)
    return str(decision.outputs["lens"])


@pytest.mark.parametrize(
    ("files", "lens"),
    [
        ([("src/lex.py", 20, "x"), ("src/parse.py", 20, "y"), ("src/tree.py", 20, "z")], "reliability"),
        ([("src/parse.py", 20, "x"), ("docs/parse.md", 15, "x")], "reliability"),
        ([("src/parse.py", 20, "x"), ("docs/parse.md", 25, "x")], "readability"),
        ([("package.json", 4, ""), ("package-lock.json", 80, ""), ("src/use.ts", 30, "x")], "risk"),
        ([("infra/main.tf", 40, "")], "risk"),
        ([("src/client.go", 40, "backoff := next(attempt)\n")], "resilience"),
        ([("src/work_queue.rb", 40, "x")], "resilience"),
        ([("routes/retry.js", 40, "retry(order)\n")], "risk"),
        ([("locale/de.po", 40, "x")], "readability"),
        ([("docs/retries.md", 40, "On failure, retry.\n")], "readability"),
        ([("tests/test_parse.py", 40, "x")], "reliability"),
        ([("logo.png", 0, "")], "reliability"),
        ([], "reliability"),
    ],
)
def test_the_lens_is_what_most_of_the_lines_call_for(
    policies: PolicySet, files: list[tuple[str, int, str]], lens: str
) -> None:
    assert dominant(policies, *files) == lens


def test_a_file_that_hints_at_a_lens_twice_counts_once(policies: PolicySet) -> None:
    assert dominant(policies, ("src/retry_queue.py", 10, "retry\nmutex\n"), ("src/a.py", 10, "x")) == "reliability"

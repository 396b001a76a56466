"""What marks a change of a place where untrusted bytes reach a model, and what does not."""

from __future__ import annotations

import pytest

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet

MODEL = "reply = client.messages.create(model=name)\n"
FOREIGN = {
    "retrieved": ("docs = retriever.search(q)", "hits = vector_store.query(q)", "index = faiss.read_index(p)"),
    "fetched": ("page = requests.get(url).text", "const page = await fetch(url)", "text = web_search(q)"),
    "tool-output": ("tool_output = run()", "text = done.stdout", "server = mcp.Server()"),
    "user-file": ("text = upload.read()", "for attachment in mail.attachments:", "text = extract_text(pdf)"),
    "guard": ("nonce = secrets.token_hex(8)", "def fence(text):", "if untrusted(text):"),
}


def signals(policies: PolicySet, *files: tuple[str, str]) -> set[str]:
    facts = [{"path": path, "added_text": text} for path, text in files]
    decisions = policies.table("verify.boundary-signals").decide_all(files=facts)
    return {str(decision.outputs["signal"]) for decision in decisions}


@pytest.mark.parametrize(("signal", "line"), [(one, line) for one, lines in FOREIGN.items() for line in lines])
def test_foreign_text_beside_a_model_is_a_boundary_and_alone_is_none(
    policies: PolicySet, signal: str, line: str
) -> None:
    assert signal in signals(policies, ("src/answer.py", f"{line}\n{MODEL}"))
    assert signals(policies, ("src/answer.py", f"{line}\n")) == set()
    assert signals(policies, ("src/answer.py", line), ("src/other.py", MODEL)) == set()


def test_a_model_that_reads_only_fixed_words_is_no_boundary(policies: PolicySet) -> None:
    assert signals(policies, ("src/title.py", MODEL + "system_prompt = 'Write a title.'\n")) == set()


@pytest.mark.parametrize(
    "path", ["tests/test_answer.py", "src/answer_test.go", "web/answer.spec.ts", "docs/answer.md", "README.rst"]
)
def test_tests_and_prose_about_a_boundary_are_none(policies: PolicySet, path: str) -> None:
    assert signals(policies, (path, MODEL + "docs = retriever.search(q)\nnonce\n")) == set()


@pytest.mark.parametrize(
    ("path", "text", "is_one"),
    [
        ("prompts/review.md", "Judge this:\n{{ document }}\n", True),
        ("src/prompts/answer.txt", "<context>{passages}</context>", True),
        ("agents/reviewer.prompt", "Here is the ${diff}.", True),
        ("prompts/greet.md", "Say hello.\n", False),
        ("prompts/greet.md", "Say hello to {{ name }}.\n", False),
        ("docs/guide.md", "Fill in {{ document }}.\n", False),
    ],
)
def test_a_template_is_a_boundary_where_it_is_filled_with_foreign_text(
    policies: PolicySet, path: str, text: str, is_one: bool
) -> None:
    assert signals(policies, (path, text)) == ({"prompt"} if is_one else set())


def test_a_change_without_files_marks_nothing_and_a_line_too_long_is_no_miss(policies: PolicySet) -> None:
    assert signals(policies) == set()
    with pytest.raises(PolicyError) as refused:
        signals(policies, ("src/answer.py", "x" * 70_000 + MODEL))
    assert refused.value.code == "line_too_long"


def test_every_way_of_the_vocabulary_can_be_marked(policies: PolicySet) -> None:
    marked = {str(row.then["signal"]) for row in policies.table("verify.boundary-signals").document.rows}
    assert marked == set(policies.vocabulary("verify.boundary-signal").terms)

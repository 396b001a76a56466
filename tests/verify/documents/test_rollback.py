"""The way back: a section that says it, or a labelled line."""

from __future__ import annotations

import pytest

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.rollback import Rollback, RollbackRules, find_rollback
from verify.markdown import parse_markdown


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> RollbackRules:
    return RollbackRules.from_policy(policies, CriteriaRules.from_policy(policies), "·")


@pytest.mark.parametrize(
    "text",
    [
        "## Rollback\n\nRevert the commit.\n",
        "## Rollback plan\n\n1. `git revert HEAD`\n",
        "## Rollback\n\n```sh\ngit revert HEAD\n```\n",
        "## Rollback\n\n`git revert HEAD`\n",
        "## Deploy\n\n### Откат\n\nВернуть прежний образ.\n",
        "## Стратегия отката\n\n### Данные\n\nВосстановить копию.\n",
        "## Rollback\n\n| step | how |\n| --- | --- |\n| 1 | revert |\n",
        "## Rollback: revert the commit\n",
        "Rollback: revert the commit\n",
        "**Rollback:** revert the commit\n",
        "- **Rollback strategy:** `git revert`\n",
        "Rollback:\n\n- revert the commit\n",
        "**Rollback:**\nrevert the commit\n",
        "Owner: Ann · Rollback: revert the commit\n",
        "План отката: вернуть коммит\n",
        "| what | how |\n| --- | --- |\n| Rollback | revert |\n",
        "## Rollback\n\nNone: the change only adds a document.\n",
        "Rollback: n/a because nothing is deployed\n",
        "Откат: не требуется, так как меняется только текст\n",
    ],
)
def test_a_section_or_a_line_says_how_to_go_back(text: str, rules: RollbackRules) -> None:
    found = find_rollback(parse_markdown(text), rules)
    assert found is not None
    assert found.said


@pytest.mark.parametrize(
    "text",
    [
        "## Rollback\n",
        "## Rollback\n\n## Next\n\nRevert nothing.\n",
        "## Rollback\n\nTBD\n",
        "## Rollback\n\n- n/a\n",
        "## Rollback\n\n<!-- revert the commit -->\n",
        "## Откат\n\nНет.\n",
        "Rollback: none\n",
        "Rollback: n/a\n",
        "Rollback: not needed\n",
        "**Rollback:** TBD\n",
        "Rollback:\n\n## Next\n\nText.\n",
        "| what | how |\n| --- | --- |\n| Rollback | - |\n",
    ],
)
def test_a_name_without_a_text_or_a_reason_says_nothing(text: str, rules: RollbackRules) -> None:
    found = find_rollback(parse_markdown(text), rules)
    assert found is not None
    assert not found.said


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n\nWe can roll the change back.\n",
        "```\nRollback: revert the commit\n```\n",
        "## Scrollback\n\nKeep 5 pages.\n",
        "It needs no Rollback: revert\n",
    ],
)
def test_what_is_in_neither_shape_is_no_way_back(text: str, rules: RollbackRules) -> None:
    assert find_rollback(parse_markdown(text), rules) is None


def test_the_place_that_says_it_comes_before_one_that_does_not(rules: RollbackRules) -> None:
    text = "Rollback: TBD\n\n## Rollback\n\nRevert.\n"
    assert find_rollback(parse_markdown(text), rules) == Rollback(3, True)

"""Risks with their mitigations: rows of a table, items below a heading."""

from __future__ import annotations

import pytest

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.risks import RiskRules, find_risks
from verify.markdown import parse_markdown


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> RiskRules:
    return RiskRules.from_policy(policies, CriteriaRules.from_policy(policies))


def mitigated(text: str, rules: RiskRules) -> list[str]:
    return [risk.text for risk in find_risks(parse_markdown(text), rules) if risk.mitigated]


def table(head: str, *rows: str) -> str:
    columns = head.count("|") + 1
    return "\n".join(f"| {line} |" for line in (head, " | ".join(["---"] * columns), *rows)) + "\n"


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("risk | mitigation", "lost writes | fsync"),
        ("Risk | Probability | Mitigation", "lost writes | low | fsync"),
        ("ID | Risk | Impact | Mitigation strategy", "R1 | lost writes | high | fsync"),
        ("Risk ID | Risk | Mitigation", "R1 | lost writes | fsync"),
        ("Risk level | Risk | Mitigation", "high | lost writes | fsync"),
        ("Risk mitigation | Risk", "fsync | lost writes"),
        ("Риск | Митигация", "lost writes | fsync"),
        ("Риск | Вероятность | Меры по снижению", "lost writes | низкая | fsync"),
    ],
)
def test_a_row_with_a_risk_and_its_mitigation_counts(head: str, row: str, rules: RiskRules) -> None:
    assert mitigated(table(head, row), rules) == ["lost writes"]


@pytest.mark.parametrize("empty", ["", "-", "TBD", "n/a", "none", "—", "нет", "later"])
def test_a_row_whose_mitigation_says_nothing_names_a_risk_without_one(empty: str, rules: RiskRules) -> None:
    risks = find_risks(parse_markdown(table("risk | mitigation", f"lost writes | {empty}")), rules)
    assert [(risk.text, risk.line, risk.mitigated) for risk in risks] == [("lost writes", 3, False)]


@pytest.mark.parametrize("empty", ["", "-", "TBD"])
def test_a_row_without_a_risk_is_none(empty: str, rules: RiskRules) -> None:
    assert find_risks(parse_markdown(table("risk | mitigation", f"{empty} | fsync")), rules) == ()


@pytest.mark.parametrize(
    ("head", "row"),
    [("threat | answer", "lost writes | fsync"), ("risk | owner", "lost writes | Ann"), ("Risk mitigation", "fsync")],
)
def test_a_table_without_both_columns_holds_no_risks(head: str, row: str, rules: RiskRules) -> None:
    assert find_risks(parse_markdown(table(head, row)), rules) == ()


def test_a_risk_that_stands_twice_counts_once(rules: RiskRules) -> None:
    text = table("risk | mitigation", "lost writes | fsync", "**Lost writes** | fsync", "slow start | lazy load")
    assert mitigated(text, rules) == ["lost writes", "slow start"]


def test_a_risk_with_a_mitigation_somewhere_is_mitigated(rules: RiskRules) -> None:
    text = table("risk | mitigation", "lost writes | ", "lost writes | fsync")
    assert mitigated(text, rules) == ["lost writes"]


@pytest.mark.parametrize(
    "item",
    [
        "- lost writes. Mitigation: fsync",
        "- lost writes — mitigation: fsync",
        "- **Risk:** lost writes **Mitigation:** fsync",
        "- lost writes\n  Mitigation: fsync",
        "- lost writes\n\n  Mitigation: fsync",
        "- lost writes\n  - Mitigation: fsync",
        "- lost writes\n  - impact: high\n  - **Mitigation:** fsync",
        "- lost writes\n  - Mitigation:\n    - fsync",
        "- lost writes → fsync",
        "- lost writes -> `fsync`",
        "1. lost writes. Mitigation: fsync",
        "- lost writes. Митигация: fsync",
        "- lost writes. Меры: fsync",
        "* Риск: lost writes. Снижение: fsync",
        "### Lost writes\n\nMitigation: fsync",
        "**lost writes**\n\nMitigation: fsync",
    ],
)
def test_a_risk_below_its_heading_counts_with_its_mitigation(item: str, rules: RiskRules) -> None:
    assert [text.casefold() for text in mitigated(f"# PRD\n\n## Risks\n\n{item}\n", rules)] == ["lost writes"]


@pytest.mark.parametrize("heading", ["Risks and mitigations", "Risk analysis", "5. Risks", "Риски", "Риски и меры"])
def test_any_heading_that_speaks_of_risks_will_do(heading: str, rules: RiskRules) -> None:
    assert mitigated(f"## {heading}\n\n### Technical\n\n- lost writes → fsync\n", rules) == ["lost writes"]


@pytest.mark.parametrize(
    "text",
    [
        "## Risks\n\n- lost writes\n- slow start\n",
        "## Risks\n\n- lost writes. Mitigation: TBD\n",
        "## Risks\n\n- lost writes. Mitigation:\n- slow start. Mitigation:\n",
        "## Risks\n\n- Mitigation: fsync\n",
        "## Notes\n\n- lost writes → fsync\n",
        "## Risks\n\n```\n- lost writes. Mitigation: fsync\n```\n",
        "## Risks\n\n<!-- - lost writes. Mitigation: fsync -->\n",
        "## Riskless design\n\n- lost writes → fsync\n",
        "# PRD\n",
    ],
)
def test_what_is_in_neither_shape_is_no_risk_with_a_mitigation(text: str, rules: RiskRules) -> None:
    assert mitigated(text, rules) == []


def test_every_item_is_a_risk_of_its_own(rules: RiskRules) -> None:
    text = "## Risks\n\n- a1. Mitigation: x\n- b2\n  - Mitigation: y\n- c3 → z\n\n## Next\n\n- d4 → w\n"
    assert mitigated(text, rules) == ["a1", "b2", "c3"]


def test_both_shapes_add_up(rules: RiskRules) -> None:
    text = "## Risks\n\n" + table("risk | mitigation", "a1 | x") + "\n- b2 → y\n"
    assert mitigated(text, rules) == ["a1", "b2"]

"""Which rules a look at the graph holds it against: those that a caller names, less those that it ignores."""

from __future__ import annotations

from typing import Final

from toolkit.reporting.visible import visible
from verify.errors import WorkspaceError
from verify.spec_graph.rules import DOCUMENT, SpecRules

RULES_FAULT: Final = "spec_graph_rules"
_SHOWN: Final = 60


def selected(rules: SpecRules, named: str | None, ignored: str | None) -> frozenset[str]:
    """The names of the rules to judge by. Both lists are separated by commas; a null one changes nothing.

    Raises ``WorkspaceError`` (``spec_graph_rules``) for a rule that is none, a mandatory one that is ignored, and where
    no rule is left: a graph that is held against nothing is not clean.
    """
    wanted = frozenset(rules.rules) if named is None else _names("--rules", named, rules)
    left_out = frozenset() if ignored is None else _names("--ignore", ignored, rules)
    mandatory = sorted(name for name in left_out if rules.rules[name].mandatory)
    if mandatory:
        raise _refused(f"--ignore: {', '.join(mandatory)} is mandatory", "ignore optional rules alone")
    if not wanted - left_out:
        raise _refused("--rules and --ignore leave no rule to judge by", "name a rule that is not ignored")
    return wanted - left_out


def _names(option: str, text: str, rules: SpecRules) -> frozenset[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = next((name for name in names if name not in rules.rules), None)
    if unknown is not None:
        known = f"the rules are {', '.join(rules.rules)}"
        raise _refused(f"{option}: there is no rule {visible(unknown, _SHOWN)!r}", known)
    return frozenset(names)


def _refused(message: str, step: str) -> WorkspaceError:
    return WorkspaceError(RULES_FAULT, message, place=DOCUMENT, next_step=step)

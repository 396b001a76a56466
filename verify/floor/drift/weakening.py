"""What the difference between two layers does to decisions: which of its files made which decision weaker."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolkit.policy.layers import PROFILE, REPOSITORY
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.reporting.visible import visible
from verify.floor.drift.layer_files import LayerFiles
from verify.words import with_others

if TYPE_CHECKING:
    from toolkit.authoring.comparison.weakening import Weakened


class Weaker(NamedTuple):
    """What is known of the decisions: by the path of a file, what it made weaker or may have made so.

    ``unknown`` says why nothing is known, or is empty.
    """

    by_file: Mapping[str, tuple[Weakened, ...]]
    unknown: str = ""


def made_weaker(before: LayerFiles, after: LayerFiles, changed: Collection[str], policies: PolicySet) -> Weaker:
    """What the ``changed`` files among those of two layers made weaker. ``policies`` are those that ``after`` makes."""
    policy_files = frozenset(changed).intersection((*before.names.values(), *after.names.values()))
    if not policy_files:
        return Weaker({})
    from toolkit.authoring.comparison.weakening import weaker_decisions
    from toolkit.sources import load_layer

    try:
        earlier = load_layer(before.layer)
        weaker = tuple(weaker_decisions(earlier, policies))
    except PolicyError as fault:
        return Weaker({}, f"the policies there do not load ({visible(f'{fault.code}: {fault.message}')})")
    blame = _Blame(before, after, policy_files, (earlier, policies))
    by_file: dict[str, list[Weakened]] = {}
    for one in weaker:
        for path in blame.of(one):
            by_file.setdefault(path, []).append(one)
    return Weaker({path: tuple(found) for path, found in by_file.items()})


class _Blame:
    """Tells which of the changed files edit what became weaker."""

    def __init__(
        self, before: LayerFiles, after: LayerFiles, changed: frozenset[str], sets: Sequence[PolicySet]
    ) -> None:
        self._changed = changed
        self._sets = sets
        self._paths = {**before.names, **after.names}
        configs = [files.layer.config for files in (before, after)] if sets[0].profile != sets[1].profile else []
        self._configs = tuple(self._paths[config.file] for config in configs if config is not None)

    def of(self, weakened: Weakened) -> frozenset[str]:
        """The changed files that edit one of its documents, the configuration where the profile does; all if none."""
        editing = self._changed.intersection(
            path for name in weakened.documents for policies in self._sets for path in self._editing(name, policies)
        )
        return editing or self._changed

    def _editing(self, name: str, policies: PolicySet) -> Iterator[str]:
        if name not in policies.ids:
            return
        entry = policies.entry(name)
        files = [edit.file for edit in entry.edits if edit.layer == REPOSITORY]
        if entry.head.layer == REPOSITORY:
            files.append(entry.head.mark.file)
        yield from (self._paths[file] for file in files if file in self._paths)
        if any(edit.layer == PROFILE for edit in entry.edits):
            yield from self._configs


def told(weaker: Sequence[Weakened]) -> str:
    """What became weaker, in words: the first of all, and how many more; or of what that could not be shown."""
    sure = [one for one in weaker if one.sure]
    if not sure:
        names = tuple(dict.fromkeys(one.document for one in weaker))
        return f"it could not be shown that {names[0]}{with_others(len(names) - 1)} decides nothing weaker now"
    first, rest = sure[0], with_others(len(sure) - 1)
    facts = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in first.facts.items())
    given = f" for {facts}" if facts else ""
    return visible(f"{first.document}, row {first.row}: {first.message}{rest}{given}")

"""Documents that are captured with a task (init task, expectations): their front matter, and their problems."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from toolkit.reporting.visible import visible
from verify.frontmatter import FrontMatter

# Keys whose value is checked, and not only that there is one.
TASK_ID: Final = "task_id"
ARTIFACT: Final = "artifact"
SCHEMA_VERSION: Final = "schema_version"
SHOWN: Final = 60


class Problem(NamedTuple):
    """One fault of a document. ``line`` is 1-based (1 where something is missing altogether), ``code`` is stable."""

    line: int
    code: str
    message: str


MISSING: Final = Problem(1, "missing", "the file is missing")


class FrontMatterRules(NamedTuple):
    """Which keys are owed, in order, and what some of them must say. ``versions`` are as they are written."""

    keys: tuple[str, ...]
    artifact: str
    versions: tuple[str, ...]


def front_matter_problems(front: FrontMatter, task_id: str, rules: FrontMatterRules) -> Iterator[Problem]:
    """What is wrong with the front matter of a captured document of the task ``task_id``.

    A front matter that can't be read is one problem, at the line of the fault.
    """
    if front.error is not None:
        yield Problem(front.error_line or 1, "front-matter-malformed", f"the front matter can't be read: {front.error}")
        return
    if not front.end_line:
        yield Problem(1, "front-matter-missing", "there is no front matter at the start of the file")
        return
    for key in rules.keys:
        entries = front.entries(key)
        if not entries:
            line = next((at for name, at in front.lines.items() if name.casefold() == key), 1)
            yield Problem(line, "front-matter-key", f"the front matter has no {key}, or an empty one")
            continue
        wanted = _wanted(key, task_id, rules)
        for value, line in entries:
            if wanted and value not in wanted:
                said = f"{key} is {visible(value, SHOWN)!r}, and has to be {' or '.join(wanted)}"
                yield Problem(line, "front-matter-value", said)


def _wanted(key: str, task_id: str, rules: FrontMatterRules) -> Collection[str]:
    """The values that a key may have; none: any."""
    return {TASK_ID: (task_id,), ARTIFACT: (rules.artifact,), SCHEMA_VERSION: rules.versions}.get(key, ())

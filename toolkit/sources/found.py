"""A layer as it was found: its files within bounds, and a problem for each that is refused unread."""

from __future__ import annotations

from typing import Final, NamedTuple

from toolkit.policy.layers import MAX_DOCUMENTS, MAX_SET_BYTES, Source
from toolkit.policy.problems import Mark, Problem

FOLDER: Final = ".dr"
POLICIES: Final = "policies"  # the folder in it that holds a repository's policies
CONFIG: Final = "config.yaml"
LOCK: Final = "policy.lock"
SUFFIX: Final = ".yaml"
LOOKALIKES: Final = (SUFFIX, ".yml")  # in whatever case
CONFIG_ALIKE: Final = (CONFIG, "config.yml", "config.json")  # in whatever case
MAX_ENTRIES: Final = 10_000  # names that are looked at in one layer; what is no policy is left alone, but not for ever


class Refusal(NamedTuple):
    """What is said of a thing that is refused wherever it stands, on disk or in a Git tree."""

    code: str
    message: str
    hint: str


NO_FOLDER: Final = Refusal(
    "not_a_folder", "this is no folder, so it holds no policies", f"move it away: a {FOLDER} is the folder of a layer"
)


class FoundLayer(NamedTuple):
    """The policies of a layer in a fixed order, its configuration and its lock where it has them, and its problems."""

    sources: tuple[Source, ...] = ()
    config: Source | None = None
    lock: Source | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that have a part in what is in force, as messages name them."""
        return tuple(source.file for source in (*((self.config,) if self.config else ()), *self.sources))


class Collector:
    """Collects what is read of one layer, until there is more than a set may have: the loader refuses that by name."""

    def __init__(self, layer: str) -> None:
        self._layer = layer
        self._size = 0
        self._entries = 0
        self.sources: list[Source] = []
        self.problems: list[Problem] = []

    @property
    def is_full(self) -> bool:
        return len(self.sources) > MAX_DOCUMENTS or self._size > MAX_SET_BYTES

    def add(self, file: str, data: bytes) -> None:
        self.sources.append(self.source(file, data))
        self._size += len(data)

    def source(self, file: str, data: bytes) -> Source:
        return Source(file, data, self._layer)

    def refuse(self, code: str, message: str, file: str, hint: str | None = None) -> None:
        self.problems.append(Problem(code, message, Mark(file, 0, 0), hint=hint))

    def counts(self, folder: str) -> bool:
        """Count one more name; false, with a problem, where there are more than are looked at."""
        self._entries += 1
        if self._entries == MAX_ENTRIES + 1:
            message = f"more than {MAX_ENTRIES} files and folders stand here"
            self.refuse("too_many_files", message, folder, "keep here what is a policy")
        return self._entries <= MAX_ENTRIES


def is_of_layer(name: str) -> bool:
    """Whether something of this name makes the ``.dr`` that holds it a layer; else it holds other things."""
    return name in (POLICIES, LOCK) or name.lower() in CONFIG_ALIKE


def is_config_alike(name: str) -> bool:
    """Whether a file of this name would be overlooked although it looks like the configuration."""
    return name != CONFIG and name.lower() in CONFIG_ALIKE


def is_policy_alike(name: str) -> bool:
    """Whether a file of this name is a policy, or would be overlooked although it looks like one."""
    return name.lower().endswith(LOOKALIKES)

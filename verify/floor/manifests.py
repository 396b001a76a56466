"""Test presence: which manifests stand at the roots, and whether tests are seen for them. A note, never a finding."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

from toolkit.errors import StorageError
from toolkit.storage.files import read_bounded
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import nothing
from verify.terms import RAN


class ManifestRules(NamedTuple):
    """What is looked for at a root; from the parameters of the check's entry.

    ``scripted`` are the manifests (JSON) whose ``scripts.test`` counts, unless it holds one of ``placeholders``.
    ``max_bytes`` bounds a manifest that is read, ``max_entries`` the names of a root that are looked through.
    """

    manifests: tuple[str, ...]
    scripted: frozenset[str]
    placeholders: tuple[str, ...]
    test_directories: tuple[str, ...]
    test_suffixes: tuple[str, ...]
    max_bytes: int
    max_entries: int

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, object]) -> ManifestRules:
        """The rules of one entry (the policy's shape proves the types)."""
        return cls(
            manifests=_words(parameters, "manifests"),
            scripted=frozenset(_words(parameters, "scripted")),
            placeholders=_words(parameters, "placeholders"),
            test_directories=_words(parameters, "test_directories"),
            test_suffixes=_words(parameters, "test_suffixes"),
            max_bytes=cast(int, parameters["max_bytes"]),
            max_entries=cast(int, parameters["max_entries"]),
        )


def test_presence(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """Tell which manifests the workspace's and the framework's root hold, and what speaks for tests there."""
    rules = ManifestRules.from_parameters(entry.parameters)
    roots = [("", context.task.workspace.root)]
    if context.framework_root is not None:
        roots.append((" (framework)", context.framework_root))
    notes = [f"{note}{where}" for where, root in roots for note in _notes(root, rules)]
    if not notes:
        return nothing(f"no manifest at the root ({', '.join(rules.manifests)})")
    return CheckResult(RAN, "; ".join(notes))


def _words(parameters: Mapping[str, object], key: str) -> tuple[str, ...]:
    return tuple(cast("Sequence[str]", parameters[key]))


def _notes(root: Path, rules: ManifestRules) -> list[str]:
    present = [name for name in rules.manifests if _is(root / name, stat.S_ISREG)]
    if not present:
        return []
    shared = _shared_signs(root, rules)
    return [f"{name}: {_verdict([*shared, *_script_signs(root / name, rules)])}" for name in present]


def _verdict(signs: Sequence[str]) -> str:
    return ", ".join(signs) if signs else "no tests seen"


def _shared_signs(root: Path, rules: ManifestRules) -> list[str]:
    """What speaks for tests whatever the manifest: a directory of them, or a test file at the root itself."""
    directories = [f"{name}/" for name in rules.test_directories if _is(root / name, stat.S_ISDIR)]
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in islice(entries, rules.max_entries))
    except OSError:
        return [*directories, "the root could not be listed"]
    suffix = next((suffix for suffix in rules.test_suffixes if any(name.endswith(suffix) for name in names)), None)
    return [*directories, *([] if suffix is None else [f"*{suffix}"])]


def _script_signs(manifest: Path, rules: ManifestRules) -> list[str]:
    """What a manifest says of its tests itself, or why that can't be told."""
    if manifest.name not in rules.scripted:
        return []
    try:
        content = json.loads(read_bounded(manifest, rules.max_bytes))
    except StorageError as fault:
        return [f"not read: {fault.code}"]
    except (ValueError, RecursionError):
        return ["not parseable"]
    scripts = content.get("scripts") if isinstance(content, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    commands = script if isinstance(script, list) else [script]
    texts = [text for text in commands if isinstance(text, str) and text.strip()]
    real = [text for text in texts if not any(placeholder in text for placeholder in rules.placeholders)]
    return ["scripts.test"] if real else []


def _is(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether a file of that kind stands there itself, not by a symbolic link."""
    try:
        return kind(path.lstat().st_mode)
    except (OSError, ValueError):
        return False

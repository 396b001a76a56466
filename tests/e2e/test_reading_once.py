"""One run reads each artifact once, however many checks ask for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

TASK = "LEDG-0042"
# Counts every file that the interpreter opens, whoever asks, and says so on standard error at the end.
WATCHED = """
import atexit, collections, json, os, sys
opened = collections.Counter()
def watch(event, details):
    if event == "open" and isinstance(details[0], (str, bytes)):
        opened[os.path.realpath(os.fsdecode(details[0]))] += 1
sys.addaudithook(watch)
atexit.register(lambda: print(json.dumps(opened), file=sys.stderr))
sys.argv = ["dr-verify", *sys.argv[1:]]
from verify.commands.main import main
main()
"""


def _opened(root: Path, environment: dict[str, str], *arguments: str) -> Counter[str]:
    """How often a whole run opened each file below ``root``."""
    command = [sys.executable, "-c", WATCHED, *arguments]
    done = subprocess.run(
        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    counts = json.loads(done.stderr.splitlines()[-1])
    base = root.resolve()
    inside = {path: count for path, count in counts.items() if base in Path(path).parents}
    return Counter({str(Path(path).relative_to(base)): count for path, count in inside.items()})


@pytest.mark.parametrize("stage", ["all", "do", "archive"])
def test_each_artifact_is_opened_once_in_a_run(
    stage: str, example: Callable[[str], Path], environment: dict[str, str]
) -> None:
    root = example("ledger-repaired")
    opened = _opened(root, environment, TASK, "--stage", stage, "--floor-only", "--no-write", "--no-commands", "--json")
    artifacts = [path for path in opened if path.startswith("datarim/") and path.endswith(".md")]
    assert len(artifacts) >= 7
    assert {path: opened[path] for path in artifacts} == dict.fromkeys(artifacts, 1)


def test_the_graph_commands_open_each_artifact_once_too(
    example: Callable[[str], Path], environment: dict[str, str]
) -> None:
    root = example("ledger-repaired")
    opened = _opened(root, environment, "spec", "check", "--task", TASK)
    artifacts = [path for path in opened if path.startswith("datarim/") and path.endswith(".md")]
    assert len(artifacts) >= 4
    assert {path: opened[path] for path in artifacts} == dict.fromkeys(artifacts, 1)

"""What a run imports: its own command, and of the heavy libraries only what it uses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

IMPORTED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
sys.argv = ["dr-verify", *sys.argv[1:]]
from verify.commands.main import main
main()
"""


def _imported(root: Path, environment: dict[str, str], *arguments: str) -> set[str]:
    command = [sys.executable, "-c", IMPORTED, *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_a_second_run_imports_its_own_command_and_no_library_for_what_the_cache_knows(
    example: Callable[[str], Path], environment: dict[str, str]
) -> None:
    root = example("ledger-repaired")
    asked = ("LEDG-0042", "--floor-only", "--no-write", "--no-commands")
    _imported(root, environment, *asked)
    again = _imported(root, environment, *asked)
    commands = {name for name in again if name.startswith("verify.commands.")}
    assert commands == {"verify.commands.main", "verify.commands.task", "verify.commands.options"}
    assert again & {"markdown_it", "jsonschema_rs", "rfc8785", "platformdirs", "logging", "asyncio"} == set()

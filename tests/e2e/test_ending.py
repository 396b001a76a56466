"""A run that is asked to end ends, and leaves nothing of it running or half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

TASK = "LEDG-0042"
OVERLAY = """policy: v1
kind: overlay
id: repo.floor
version: 1.0.0
title: a command that does not want to end
base: {id: verify.floor, version: ">=1.0,<2"}
set:
  /checks/-:
    id: stubborn
    uses: command
    severity: high
    category: correctness
    stages: [do]
    with: {argv: [sh, -c, "trap '' TERM INT HUP; echo $$ > started; while :; do sleep 1; done"]}
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_run_and_its_commands(
    example: Callable[[str], Path], environment: dict[str, str], number: signal.Signals, status: int
) -> None:
    root = example("ledger-repaired")
    (root / ".dr/policies/floor.yaml").write_text(OVERLAY)
    os.mkfifo(root / "started")
    program = str(Path(sys.executable).parent / "dr-verify")
    running = subprocess.Popen([program, TASK, "--floor-only"], cwd=root, env=environment, stdout=subprocess.DEVNULL)
    child = int((root / "started").read_text())
    running.send_signal(number)
    assert running.wait(timeout=60) == status
    assert not list((root / "datarim").glob("qa/verify-*"))
    # The child was killed; whoever adopted it may take a moment to bury it.
    for _ in range(600):
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            break
        if state == "Z":
            break
        time.sleep(0.1)
    else:
        pytest.fail(f"the command {child} still runs")

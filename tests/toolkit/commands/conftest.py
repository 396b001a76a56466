"""``dr-policy`` run in this process, in a repository that each module makes (its fixture ``root``)."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands_support import Result, Run

from toolkit.commands.main import main


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One cache for all these runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DR_VERIFY_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run the program in this process, in the repository, as its entry point does."""

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.chdir(root)
        monkeypatch.setattr(sys, "argv", ["dr-policy", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capfdbinary.readouterr()
        assert b"Traceback" not in out + err
        assert isinstance(caught.value.code, int)
        return Result(caught.value.code, out.decode("utf-8", "strict"), err.decode("utf-8", "strict"))

    return call

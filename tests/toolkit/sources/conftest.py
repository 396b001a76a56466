"""A cache, a user and a small shipped set of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy_support import overlay
from sources_support import LAYER_FOLDER

from toolkit.shipped import Shipped, read_shipped
from toolkit.sources import loading


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", str(folder))
    return folder / "policies"


@pytest.fixture(autouse=True)
def user(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user of this test keeps policies; nothing is there."""
    home = tmp_path_factory.mktemp("configuration")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    return home / "dr" / "policies"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Shipped:
    """One shipped document instead of all of them, so that a cold load is a short one, and one profile."""
    name = "policies/verify/limits.yaml"
    whole = read_shipped()
    strict = overlay("set: {/max_iter: 1}\n", "profile.strict.limits", base="verify.limits")
    shipped = Shipped(
        {name: whole.documents[name]},
        {"strict": {"policies/profiles/strict/limits.yaml": strict.encode()}},
        {"verify.limits": whole.shapes["verify.limits"]},
        {},
    )
    monkeypatch.setattr(loading, "read_shipped", lambda: shipped)
    return shipped


@pytest.fixture
def repository(tmp_path: Path, few: Shipped) -> Path:
    """A directory with an empty policy layer."""
    root = tmp_path / "repository"
    (root / LAYER_FOLDER).mkdir(parents=True)
    return root

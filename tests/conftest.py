"""What every test may ask for."""

from __future__ import annotations

import pytest

from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes


@pytest.fixture(scope="session")
def policies() -> PolicySet:
    """The whole shipped set, loaded cold."""
    root = shipped_root()
    sources = [Source(str(path.relative_to(root)), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
    return PolicySet.load(sources, shipped_shapes())

"""The shipped policies as they stand in the profile that is not the default."""

from __future__ import annotations

import pytest

from toolkit.effects import EFFECTS
from toolkit.policy.layers import PROFILE, SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import read_shipped


@pytest.fixture(scope="session")
def atomic() -> PolicySet:
    """The whole shipped set with the overlays of the profile ``atomic``."""
    shipped = read_shipped()
    sources = [
        *(Source(file, data, SHIPPED) for file, data in shipped.documents.items()),
        *(Source(file, data, PROFILE) for file, data in shipped.profiles["atomic"].items()),
    ]
    return PolicySet.load(sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS, profile="atomic")

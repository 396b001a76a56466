"""``.dr/config.yaml``: a repository's choices, read as strictly as a policy. There is one: the profile."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from toolkit.policy.layers import DEFAULT_PROFILE, Source
from toolkit.policy.problems import Flawed, Problems
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import read_yaml

PROFILE = "profile"


def profile_of(config: Source | None, known: Collection[str], problems: Problems) -> str:
    """The profile that a configuration chooses, one of the ``known`` ones or the default one.

    Every fault is recorded, and the default profile stands for what could not be read.
    """
    if config is None:
        return DEFAULT_PROFILE
    with suppress(Flawed):  # recorded already
        root = read_yaml(config.data, config.file, problems, begin=f"{PROFILE}: {DEFAULT_PROFILE}")
        form = Form(root, "the configuration", problems, optional=(PROFILE,))
        return form.choice(PROFILE, tuple(sorted({*known, DEFAULT_PROFILE})), DEFAULT_PROFILE)
    return DEFAULT_PROFILE

"""The rules of the peer provider, ``verify.providers`` as code uses it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT = "verify.providers"


class ConfigRules(NamedTuple):
    """Where a configuration file stands, which key of it counts, and the bounds within which it is read.

    ``project`` is below ``datarim/`` of the workspace, ``user`` below the user's configuration directory.
    ``max_bytes`` is the file's size, ``depth_max`` and ``nodes_max`` are those of its YAML.
    """

    section: str
    key: str
    project: str
    user: str
    max_bytes: int
    depth_max: int
    nodes_max: int


class Fallback(NamedTuple):
    """Who reviews where nobody says who, and the source layer that the answer names."""

    provider: str
    layer: str


class Degraded(NamedTuple):
    """The fallback under another runtime: in force where ``variable`` is set to none of ``unless``."""

    variable: str
    unless: frozenset[str]
    fallback: Fallback
    warning: str


class ProviderRules(NamedTuple):
    """The whitelist (provider to mode, in order), the cost probe, the names of the layers and the fallbacks."""

    modes: Mapping[str, str]
    cost_variable: str
    cost_threshold: str
    flag_layer: str
    project_layer: str
    user_layer: str
    config: ConfigRules
    fallback: Fallback
    degraded: Degraded

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ProviderRules:
        """The rules of the loaded policies (their shape has proved the types, and that the list adds nobody)."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        degraded = value["degraded"]
        return cls(
            modes={entry["provider"]: entry["mode"] for entry in value["providers"]},
            cost_variable=value["cost"]["variable"],
            cost_threshold=value["cost"]["threshold"],
            flag_layer=value["layers"]["flag"],
            project_layer=value["layers"]["project"],
            user_layer=value["layers"]["user"],
            config=ConfigRules(**value["config"]),
            fallback=Fallback(**value["fallback"]),
            degraded=Degraded(
                variable=degraded["variable"],
                unless=frozenset(degraded["unless"]),
                fallback=Fallback(degraded["provider"], degraded["layer"]),
                warning=degraded["warning"],
            ),
        )


def decimal_of(text: str) -> Decimal | None:
    """The amount that ``text`` spells in ASCII digits (``0.10``, ``.5``, ``1e-05``), or null for anything else.

    No sign but ``+``, no blanks, no ``nan`` or ``inf``, no grouping: an amount of money is none of these.
    """
    import re

    spelled = r"\+?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
    return Decimal(text) if re.fullmatch(spelled, text) else None

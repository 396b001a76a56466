"""What is known of the set in which somebody writes: what editors offer, and what is refused because no code has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolkit.policy.layers import DEFAULT_PROFILE
from toolkit.policy.sets import PolicySet


class Known(NamedTuple):
    """Names that stand already. Empty ones are not known, and then nothing is refused for them.

    ``documents`` are kinds by id: a hint, since a repository may have more. ``shapes``, ``templates``, ``effects``
    (what each does, by name) and ``profiles`` are all that there are. ``pack`` is the one to which ids keep, if any.
    """

    documents: Mapping[str, str] = {}
    shapes: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    effects: Mapping[str, str] = {}
    profiles: tuple[str, ...] = ()
    pack: str | None = None

    def of_kind(self, *kinds: str) -> list[str]:
        """The ids of the documents of these kinds, sorted."""
        return sorted(name for name, kind in self.documents.items() if kind in kinds)


def known_of(
    policies: PolicySet,
    *,
    shapes: Iterable[str],
    templates: Iterable[str],
    effects: Mapping[str, str],
    profiles: Iterable[str],
    pack: str | None = None,
) -> Known:
    """What is known where this set is in force."""
    return Known(
        documents={name: policies.entry(name).head.kind for name in policies.ids},
        shapes=tuple(sorted(shapes)),
        templates=tuple(sorted(templates)),
        effects=dict(effects),
        profiles=tuple(sorted({*profiles, DEFAULT_PROFILE})),
        pack=pack,
    )

"""Those who keep past decisions: the installed providers, asked so that a faulty one costs its own answer alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from toolkit.authoring.past import GROUP, Past, PastProblem, Provider, require_past
from toolkit.commands.interface import MAX_REASON
from toolkit.errors import ToolkitError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from toolkit.policy.sets import PolicySet

BROKEN: Final = "provider_broken"
_STEP: Final = "update or remove the package that registers it; dr-policy replay FILE.jsonl needs none"


class Keeper(NamedTuple):
    """A provider and the entry point that names it."""

    point: EntryPoint
    provider: Provider

    def answer(self, start: Path, named: Path | None, policies: PolicySet) -> Past | None:
        """What it answers. What it refuses, and whatever is wrong with it or its answer, is a problem of the answer."""
        place = str(named) if named is not None else GROUP
        try:
            return require_past(self.provider(start, named, policies))
        except ToolkitError as fault:  # so the protocol lets it say that nothing can be told
            message = f"the provider {self.point.name} says: {fault.message}"
            bad_input = fault.exit_status == ToolkitError.exit_status
            return Past(problems=(PastProblem(fault.code, message, fault.place or place, fault.next_step, bad_input),))
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - code of others, which must not end the run
            return Past(problems=(_broken(self.point, "failed", fault, place),))


@dataclass(frozen=True, slots=True)
class Keepers:
    """Those that could be loaded, in order of their names, and a problem for each that could not."""

    loaded: tuple[Keeper, ...]
    broken: tuple[PastProblem, ...]

    @classmethod
    def installed(cls) -> Keepers:
        """All that are registered under the group of entry points."""
        from importlib.metadata import entry_points

        loaded: list[Keeper] = []
        broken: list[PastProblem] = []
        for point in sorted(set(entry_points(group=GROUP)), key=lambda one: (one.name, one.value)):
            try:
                loaded.append(Keeper(point, cast(Provider, point.load())))
            except (Exception, SystemExit) as fault:  # noqa: BLE001 - an import runs code of others, too
                broken.append(_broken(point, "can't be loaded", fault, GROUP))
        return cls(tuple(loaded), tuple(broken))

    def answers(self, start: Path, named: Path | None, policies: PolicySet) -> Iterator[Past]:
        """The answers of those whose business it is."""
        for keeper in self.loaded:
            answer = keeper.answer(start, named, policies)
            if answer is not None:
                yield answer


def _broken(point: EntryPoint, what: str, fault: BaseException, place: str) -> PastProblem:
    """The problem that names the entry point, its distribution and what happened."""
    of = f" ({point.dist.name} {point.dist.version})" if point.dist is not None else ""
    reason = f"{type(fault).__name__}: {str(fault)[:MAX_REASON]}"
    return PastProblem(BROKEN, f"the provider {point.name} = {point.value}{of} {what}: {reason}", place, _STEP)

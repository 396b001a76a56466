"""The chain that chooses the peer provider: cost, flag, project, user, fallback. Pure: it reads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolkit.errors import ToolkitError
from toolkit.reporting.visible import visible
from verify.providers.rules import ProviderRules, decimal_of

SHOWN = 80  # characters of a foreign word in a message
WARN = "WARN:"  # what every warning begins with, wherever it is repeated
INVALID = "invalid_provider"


class ProviderError(ToolkitError):
    """What was given names no provider, or can't be read as what it should be (exit 2; the command says 1)."""


class CostCapBreach(ToolkitError):
    """The estimate is above the threshold: nobody is asked."""


class Configured(NamedTuple):
    """What one configuration file says: a provider, nothing, or something that can't be read (``fault``).

    ``place`` is ``file:line`` where it says something, else the file.
    """

    place: str
    provider: str | None = None
    fault: ProviderError | None = None


class Request(NamedTuple):
    """What is known before the chain is asked. ``estimate`` and ``threshold`` are amounts as they were written.

    ``threshold`` is null where the environment sets none; ``degraded`` says that the runtime calls for the isolated
    fallback; ``notes`` are warnings of those who gathered this.
    """

    flag: str | None = None
    project: Configured | None = None
    user: Configured | None = None
    estimate: str | None = None
    threshold: str | None = None
    degraded: bool = False
    notes: tuple[str, ...] = ()


class Resolution(NamedTuple):
    """Who reviews. ``warnings`` belong on standard error and into the audit log."""

    provider: str
    mode: str
    source_layer: str
    warnings: tuple[str, ...]


def resolve(request: Request, rules: ProviderRules) -> Resolution:
    """The first step that names a provider decides (*Self-verification*, peer review provider resolution).

    Only the provider that wins is held against the whitelist. Raises ``CostCapBreach``, or ``ProviderError`` for a
    provider that is not on it, for an amount that is no number, and for a configuration file that can't be read where
    it would have its turn: what can't be read is never passed over in favour of a fallback.
    """
    _check_cost(request, rules)
    if request.flag is not None:
        return _resolution(request.flag, rules.flag_layer, request.notes, rules)
    for step, layer in ((request.project, rules.project_layer), (request.user, rules.user_layer)):
        if step is None:
            continue
        if step.fault is not None:
            raise step.fault
        if step.provider is not None:
            warnings = (*request.notes, *_overruled(request)) if step is request.project else request.notes
            return _resolution(step.provider, layer, warnings, rules, step.place)
    fallback = rules.degraded.fallback if request.degraded else rules.fallback
    warnings = (*request.notes, rules.degraded.warning) if request.degraded else request.notes
    return _resolution(fallback.provider, fallback.layer, warnings, rules)


def _resolution(
    provider: str, layer: str, warnings: tuple[str, ...], rules: ProviderRules, place: str | None = None
) -> Resolution:
    mode = rules.modes.get(provider)
    if mode is None:
        known = " ".join(rules.modes)
        message = f"invalid provider '{visible(provider, SHOWN)}' (whitelist: {known})"
        raise ProviderError(INVALID, message, place=place, next_step=f"choose one of: {known}")
    return Resolution(provider, mode, layer, warnings)


def _overruled(request: Request) -> Iterator[str]:
    """What to say about the user's file where the project's decides."""
    project, user = request.project, request.user
    if project is None or user is None:
        return
    if user.fault is not None:
        fault = f"{user.place}: {user.fault.message}"
        yield f"{WARN} the user's configuration can't be read ({fault}); the project's decides"
    elif user.provider not in (None, project.provider):
        ours, theirs = visible(str(project.provider), SHOWN), visible(str(user.provider), SHOWN)
        yield f"{WARN} peer provider '{ours}' of {project.place} wins over '{theirs}' of {user.place}"


def _check_cost(request: Request, rules: ProviderRules) -> None:
    if request.estimate is None:
        return
    threshold = rules.cost_threshold if request.threshold is None else request.threshold
    estimated = decimal_of(request.estimate)
    allowed = decimal_of(threshold)
    if estimated is None:
        _refuse_amount("--estimate-cost", request.estimate)
    if allowed is None:
        _refuse_amount(rules.cost_variable, threshold)
    assert estimated is not None
    assert allowed is not None
    if estimated > allowed:
        message = f"cost cap breach: estimated {request.estimate} > threshold {threshold}"
        step = f"lower the cost of the review, or raise {rules.cost_variable}"
        raise CostCapBreach("cost_cap_breach", message, next_step=step)


def _refuse_amount(name: str, text: str) -> None:
    message = f"{name} is no number: '{visible(text, SHOWN)}'"
    raise ProviderError("not_a_number", message, next_step="write an amount such as 0.05")

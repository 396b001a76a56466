"""What the chain is asked with, gathered from where it stands: files by default or by name, the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from toolkit.reporting.visible import visible
from verify.providers.chain import WARN, Configured, ProviderError, Request
from verify.providers.config import read_config
from verify.providers.rules import ProviderRules
from verify.workspace import workspace_at


class Asked(NamedTuple):
    """What the caller said. Paths are relative to ``cwd``; ``use_config`` is false where no file is to be read."""

    cwd: Path
    flag: str | None = None
    project_config: str | None = None
    user_config: str | None = None
    estimate: str | None = None
    use_config: bool = True


def gather(asked: Asked, environment: Mapping[str, str], rules: ProviderRules) -> Request:
    """The chain's request. Files are read only where the flag leaves the question open.

    Raises what ``find_workspace`` raises, but for a place outside of every workspace, which has no project file.
    """
    request = Request(
        flag=asked.flag,
        estimate=asked.estimate,
        threshold=environment.get(rules.cost_variable),
        degraded=environment.get(rules.degraded.variable, "") not in rules.degraded.unless,
    )
    if asked.flag is not None or not asked.use_config:
        return request
    project = _of_project(asked, rules) if asked.project_config is None else _named(asked, asked.project_config, rules)
    user = _of_user(environment, rules) if asked.user_config is None else _named(asked, asked.user_config, rules)
    notes = (
        *_missing("--project-config", asked.project_config, project),
        *_missing("--user-config", asked.user_config, user),
    )
    return request._replace(project=project, user=user, notes=notes)


def _missing(option: str, name: str | None, said: Configured | None) -> Iterator[str]:
    """A note on a file that was named and is not there: callers name the usual places, so that is no fault."""
    if name is not None and said is None:
        yield f"{WARN} {option} {visible(name)}: there is no such file, so it says nothing"


def user_directory(environment: Mapping[str, str]) -> Path | None:
    """The user's configuration directory by the XDG rules: an empty or relative setting is none.

    Null where not even the home directory is known.
    """
    for name, below in (("XDG_CONFIG_HOME", ""), ("HOME", ".config")):
        value = environment.get(name, "")
        if os.path.isabs(value):
            return Path(value, below)
    return None


def _named(asked: Asked, name: str, rules: ProviderRules) -> Configured | None:
    """The file that the caller named; an empty name is that of no file."""
    if not name:
        fault = ProviderError("bad_config", "the name of a configuration file is empty", next_step="name a file")
        return Configured("", fault=fault)
    return read_config(asked.cwd / name, visible(name), rules.config)


def _of_project(asked: Asked, rules: ProviderRules) -> Configured | None:
    workspace = workspace_at(asked.cwd)
    if workspace is None:
        return None
    path = workspace.datarim / rules.config.project
    shown = visible(os.path.relpath(path, workspace.root))
    if not Path(os.path.realpath(path)).is_relative_to(workspace.root):
        message = "is a link that leaves the workspace, and is not followed"
        return Configured(
            shown, fault=ProviderError("bad_config", message, place=shown, next_step="put the file there")
        )
    return read_config(path, shown, rules.config)


def _of_user(environment: Mapping[str, str], rules: ProviderRules) -> Configured | None:
    folder = user_directory(environment)
    if folder is None:
        return None
    path = folder / rules.config.user
    return read_config(path, visible(str(path)), rules.config)

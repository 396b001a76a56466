"""``dr-policy init``: begin with policies in a repository, in a way that editors understand."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from toolkit.commands.interface import common_options, fails_clearly, write_json, write_note, write_text
from toolkit.commands.schema import known_at, tell_kept, write_schemas
from toolkit.policy.layers import DEFAULT_PROFILE, OWN_PACKS, REPOSITORY
from toolkit.policy.problems import PolicyError, Problems, did_you_mean, shown
from toolkit.reporting.visible import visible
from toolkit.sources.found import CONFIG, FOLDER, POLICIES, FoundLayer
from toolkit.sources.places import GIT, find_layer, git_folder_around, stands, work_tree_of
from toolkit.sources.writing import KEPT, OUTCOMES, REFRESHED, WRITTEN, Put, make_folder, put_new

README = "README.md"
MANY = 2  # files of a folder that are told one by one
IN_THE_WAY = (
    "config_name",
    "not_a_folder",
    "policy_outside_repository",
)  # problems of .dr itself, for which nothing is put there
NEXT = (
    f"dr-policy new overlay {OWN_PACKS[REPOSITORY]}.large-change --base review.risk",
    "dr-policy check",
    "dr-policy test",
)


@click.command()
@click.option("--profile", metavar="P", help=f"The profile to choose: {DEFAULT_PROFILE} unless told.")
@click.option("--here", is_flag=True, help="In this directory, not at the top of the Git work tree.")
@common_options
@fails_clearly
def init(profile: str | None, here: bool, cwd: Path, as_json: bool) -> None:
    """Write .dr: a configuration, a note on how to go on, and JSON Schemas for editors.

    It stands at the top of the Git work tree; without Git, or with --here, in this directory. Running it again
    completes what is missing and brings the schemas up to date; whatever else stands there is left as it is.
    """
    from toolkit.sources.folder import read_repository

    start = cwd.resolve()
    _hold_out_of_git(start)
    top = work_tree_of(start)
    root = start if here else top
    nearest = find_layer(start)
    found = read_repository(root)
    in_the_way = [problem for problem in found.problems if problem.code in IN_THE_WAY]
    if in_the_way:
        raise PolicyError.of(in_the_way)
    chosen = _profile(profile, found)
    files = _write(root, chosen, empty=found.config is not None and not found.config.data)
    if nearest not in (None, root):
        _tell_two_layers(start, root, nearest)
    in_git = stands(top / GIT)
    if as_json:
        where = {"root": Path(os.path.relpath(root, start)).as_posix(), "work_tree": in_git}
        told = {"files": [one._asdict() for one in files], "next": list(NEXT), "profile": chosen}
        write_json("dr-policy.init/v1", {**where, **told})
        return
    _tell(root, in_git, here, files)


def _hold_out_of_git(start: Path) -> None:
    """Raise where what is written would lie among Git's own files: no checkout has it, and no revision."""
    inside = git_folder_around(start)
    if inside is not None:
        message = "this is a folder of Git's own, so nobody's checkout would have what is written here"
        step = "run it in a checkout of that repository (git clone, git worktree add)"
        raise PolicyError("no_work_tree", message, place=visible(str(inside)), next_step=step)


def _profile(wanted: str | None, found: FoundLayer) -> str:
    """The profile that holds afterwards. Raises ``PolicyError`` where that can't be the one that is wanted."""
    from toolkit.shipped import read_shipped
    from toolkit.sources.config import profile_of

    known = sorted({*read_shipped().profiles, DEFAULT_PROFILE})
    if wanted is not None and wanted not in known:
        message = f"there is no profile {shown(wanted)}"
        raise PolicyError("unknown_profile", message, place="--profile", next_step=did_you_mean(wanted, known))
    if found.config is None or not found.config.data:  # an empty one gives way: see toolkit.sources.writing
        return wanted or DEFAULT_PROFILE
    problems = Problems()
    present = profile_of(found.config, known, problems)
    problems.raise_if_any()
    if wanted not in (None, present):
        message = f"the configuration chooses the profile {present!r}, and is not written over"
        step = f"write there 'profile: {wanted}'"
        raise PolicyError("profile_differs", message, place=found.config.file, next_step=step)
    return present


def _write(root: Path, profile: str, *, empty: bool) -> list[Put]:
    """Everything that is written, what an editor needs first. A run that is cut short is completed by the next."""
    from toolkit.authoring.scaffolds import config_text, readme_text
    from toolkit.authoring.schemas.published import FOLDER as SCHEMAS
    from toolkit.shipped import read_shipped

    def put_config() -> Put:
        text = config_text(profile, {*read_shipped().profiles, DEFAULT_PROFILE})
        return put_new(root, f"{FOLDER}/{CONFIG}", text.encode())

    # An empty configuration, as a killed run may leave it, is mended first: with it no policy here loads.
    mended = put_config() if empty else None
    schemas = write_schemas(root, f"{FOLDER}/{SCHEMAS}/", known_at(root, pack=OWN_PACKS[REPOSITORY]))
    make_folder(root, f"{FOLDER}/{POLICIES}")
    readme = put_new(root, f"{FOLDER}/{README}", readme_text().encode())
    return [mended or put_config(), readme, *schemas]


def _tell_two_layers(start: Path, root: Path, nearest: Path | None) -> None:
    assert nearest is not None
    if nearest in root.parents:
        write_note(f"here the nearest {FOLDER} holds: that of {visible(str(nearest))} no longer does")
    else:
        write_note(f"in {visible(str(start))} the nearer {FOLDER} of {visible(str(nearest))} holds, not this one")


def _tell(root: Path, in_git: bool, here: bool, files: list[Put]) -> None:
    where = "in this directory" if here else "at the top of this Git work tree"
    write_text(f"{where if in_git or here else 'in this directory (there is no Git work tree here)'}: {root}")
    for outcome in OUTCOMES:
        for line in _lines(one.file for one in files if one.outcome == outcome):
            write_text(f"  {outcome:9}  {line}")
    tell_kept([one for one in files if one.outcome == KEPT])
    if any(one.outcome in (WRITTEN, REFRESHED) for one in files):
        write_text("next:")
        for command in NEXT:
            write_text(f"  {command}")


def _lines(files: Iterable[str]) -> list[str]:
    """The files, those of a folder that holds many of them on one line."""
    by_folder: dict[str, list[str]] = {}
    for file in files:
        by_folder.setdefault(file.rpartition("/")[0], []).append(file)
    many = {folder: [f"{folder}/ ({len(of)} files)"] for folder, of in by_folder.items() if len(of) > MANY}
    return [line for lines in {**by_folder, **many}.values() for line in lines]

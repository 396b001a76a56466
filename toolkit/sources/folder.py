"""Reading a layer from folders on disk: bounded, within its own bounds only, nothing overlooked."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from toolkit.errors import StorageError
from toolkit.policy.layers import REPOSITORY, USER, Source
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.reporting.visible import visible
from toolkit.sources.found import (
    CONFIG,
    FOLDER,
    LOCK,
    NO_FOLDER,
    POLICIES,
    SUFFIX,
    Collector,
    FoundLayer,
    is_config_alike,
    is_policy_alike,
)
from toolkit.sources.places import stands

OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
SUPERUSER: Final = 0


def read_repository(root: Path, *, with_lock: bool = False) -> FoundLayer:
    """The layer of the directory ``root`` as it stands in the working tree; empty where it has none.

    Nothing outside of ``root`` is read. Refused is what leaves it by a symbolic link, is no regular file, can't be
    read, or would be overlooked because it is not named as policies and configurations are.
    """
    reader = FolderReader(REPOSITORY, root, lambda path: visible(path.relative_to(root).as_posix()))
    home = root / FOLDER
    if not stands(home) or not reader.is_home(home):
        return reader.layer()
    if stands(home / POLICIES):
        reader.read_below(home / POLICIES)
    for path in reader.listed(home):
        if is_config_alike(path.name):
            reader.refuse("config_name", f"this file would be overlooked: call it {CONFIG}", path)
    config = reader.read_one(home / CONFIG)
    return reader.layer(config, reader.read_one(home / LOCK) if with_lock else None)


def read_user(folder: Path) -> FoundLayer:
    """The layer of the user, read likewise; a folder that is not there holds none.

    It counts on the word of this user (or of the system's owner) alone: what others may write to is refused.
    """
    if not stands(folder):
        return FoundLayer()
    reader = FolderReader(USER, folder, _as_users_write_it, private=True)
    reader.read_below(folder)
    return reader.layer()


def _as_users_write_it(path: Path) -> str:
    """A path of the user's for messages and logs, which need not tell where the home of this user is."""
    try:
        return visible(f"~/{path.relative_to(Path.home()).as_posix()}")
    except (RuntimeError, ValueError):
        return visible(str(path))


class FolderReader:
    """Reads the files of one layer, all within the directory ``root``; ``shown`` is a path as messages name it."""

    def __init__(self, layer: str, root: Path, shown: Callable[[Path], str], *, private: bool = False) -> None:
        self._collector = Collector(layer)
        self._inside = Path(os.path.realpath(root))
        self._shown = shown
        self._private = private

    def layer(self, config: Source | None = None, lock: Source | None = None) -> FoundLayer:
        """What was read."""
        return FoundLayer(tuple(self._collector.sources), config, lock, tuple(self._collector.problems))

    def refuse(self, code: str, message: str, path: Path, hint: str | None = None) -> None:
        self._collector.refuse(code, message, self._shown(path), hint)

    def is_inside(self, path: Path) -> bool:
        """Whether a path stays within this layer's own bounds; a problem where it does not."""
        if Path(os.path.realpath(path)).is_relative_to(self._inside):
            return True
        where = "the user's folder" if self._private else "the repository"
        code = "policy_outside_folder" if self._private else "policy_outside_repository"
        hint = f"make it a file or folder of {where} itself"
        self.refuse(code, f"a policy can't leave {where} by a symbolic link", path, hint)
        return False

    def is_home(self, path: Path) -> bool:
        """Whether what is called as the folder of a layer is one, within the bounds; a problem where it is not."""
        if not self.is_inside(path):
            return False
        if path.is_dir():
            return True
        self.refuse(NO_FOLDER.code, NO_FOLDER.message, path, NO_FOLDER.hint)
        return False

    def read_below(self, folder: Path) -> None:
        """Every policy in a folder, at any depth: first its files, then what lies in its folders, by name."""
        waiting = [folder]
        while waiting and not self._collector.is_full:
            directory = waiting.pop()
            if not (self.is_inside(directory) and self._is_own(directory)):
                continue
            folders = []
            for path in self.listed(directory):
                if _is_folder(path):
                    folders.append(path)
                elif not self._collector.is_full:
                    self._read_policy(path)
            waiting += reversed(folders)

    def listed(self, directory: Path) -> list[Path]:
        """What stands in a directory, by name; a problem where that can't be told, or is more than is looked at."""
        found = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    if not self._collector.counts(self._shown(directory)):
                        break
                    found.append(entry.name)
        except OSError as fault:
            self.refuse("policy_unreadable", f"the folder can't be read: {fault.strerror}", directory)
        return [directory / name for name in sorted(found)]

    def read_one(self, path: Path) -> Source | None:
        """One file that need not be there."""
        data = self._read(path) if stands(path) else None
        return None if data is None else self._collector.source(self._shown(path), data)

    def _read_policy(self, path: Path) -> None:
        if path.is_symlink() and _leads_to_folder(path):
            if self.is_inside(path):
                self.refuse("policy_unreadable", "a linked folder is not read: put the policies themselves here", path)
        elif is_policy_alike(path.name):
            data = self._read(path, SUFFIX)
            if data is not None:
                self._collector.add(self._shown(path), data)

    def _read(self, path: Path, suffix: str = "") -> bytes | None:
        from toolkit.storage.files import read_bounded

        if not self.is_inside(path):
            return None
        if not path.name.endswith(suffix):
            self.refuse("policy_suffix", f"a policy file ends in {suffix}; this one would be overlooked", path)
            return None
        real = Path(os.path.realpath(path))
        try:
            data = read_bounded(real, MAX_BYTES)
        except StorageError as fault:
            self.refuse(fault.code, self._told(fault.message, real, path), path, fault.next_step)
            return None
        return data if self._is_own(path) else None

    def _told(self, message: str, real: Path, path: Path) -> str:
        """A message about a file, which names it as all messages of its layer do."""
        return message.replace(str(real), self._shown(path))

    def _is_own(self, path: Path) -> bool:
        """Whether nobody else may write there, in a layer of which that is asked."""
        if not self._private:
            return True
        try:
            status = path.stat()
        except OSError as fault:
            self.refuse("policy_unreadable", f"it can't be told whose this is: {fault.strerror}", path)
            return False
        if status.st_uid in (os.geteuid(), SUPERUSER) and not status.st_mode & OPEN_TO_OTHERS:
            return True
        hint = f"make it your own, and close it to others: chmod go-w {self._shown(path)}"
        self.refuse(
            "policy_not_private", "other users may write here, so it does not say what this user wants", path, hint
        )
        return False


def _is_folder(path: Path) -> bool:
    """Whether it is a folder itself; what can't be looked at is told where it is read."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _leads_to_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False

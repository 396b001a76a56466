"""What a surface covers: paths that were changed against the paths, folders and globs that a plan names.

A changed path is given by all the names that a plan may know it by: normal paths relative to each root that a plan may
write from, and the absolute one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product
from posixpath import normpath
from typing import Any

from toolkit.policy.language.patterns import PatternError, glob_to_re2
from verify.documents.surface import GLOB_SIGNS, SurfacePath, SurfaceRules
from verify.errors import VerificationUndetermined

Test = Callable[[str], bool]


class Covering:
    """Some paths of a surface, ready to be asked what they cover.

    A path covers itself and everything below it, and the submodule that it lies in: what changes there is changed here
    as the submodule's own path. A name without a folder covers every file of that name, unless
    another path of the surface ends in it: then it is short for that one. Case counts. A glob is read as
    ``toolkit.policy.language.patterns`` reads one; a glob without a folder may match in any.
    """

    def __init__(self, paths: Iterable[SurfacePath], rules: SurfaceRules) -> None:
        """Raises ``VerificationUndetermined`` (``surface_too_large``) when there are too many globs."""
        plain, globs = _split(paths, rules)
        self._plain = frozenset(plain)
        fixed = map(_fixed, (*plain, *globs))
        self._around = frozenset(folder for path in fixed for folder in islice(_upwards(path), 1, None))
        below_folders = {path.rpartition("/")[2] for path in plain if "/" in path}
        self._anywhere = frozenset(path for path in plain if "/" not in path and path not in below_folders)
        self._globs = any_glob(globs)

    def covers(self, names: Iterable[str]) -> bool:
        """Whether a changed path, given by its names, is in it."""
        for name in names:
            if name.rpartition("/")[2] in self._anywhere or self._globs(name):
                return True
            if name in self._around or not self._plain.isdisjoint(_upwards(name)):
                return True
        return False


class Touched:
    """The paths that were changed, ready to be asked whether one that a plan names is among them."""

    def __init__(self, changed: Iterable[Sequence[str]], rules: SurfaceRules) -> None:
        self._names = tuple(dict.fromkeys(name for names in changed for name in names))
        self._files = frozenset(self._names)
        self._folders = frozenset(folder for name in self._names for folder in islice(_upwards(name), 1, None))
        self._bare = frozenset(name.rpartition("/")[2] for name in self._names)
        self._rules = rules

    def holds(self, path: SurfacePath) -> bool:
        """Whether the path was changed, or something below it, or what it is a part of (a submodule)."""
        plain, globs = _split((path,), self._rules)
        for name in plain:
            if name in self._folders or ("/" not in name and name in self._bare):
                return True
            if not self._files.isdisjoint(_upwards(name)):
                return True
        return bool(globs) and any(map(any_glob(globs), self._names))


def any_glob(globs: Iterable[str], *, ignore_case: bool = False) -> Test:
    """A test whether a path matches one of ``globs``; linear in the path. What is no glob matches nothing."""
    from verify.patterns import compiled

    parts = [part for part in map(_expression, globs) if part]
    if not parts:
        return lambda _: False
    pattern: Any = compiled(("(?i)" if ignore_case else "") + "|".join(parts), "a glob")
    return lambda path: pattern.search(_text(path)) is not None


def normal(path: str) -> str:
    """One spelling for each relative path: no ``./``, no ``a/..``, no slash at its end."""
    return normpath(path) if path else path


def _text(path: str) -> str:
    """A path as text that RE2 takes: each byte that is no UTF-8 becomes one character."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _upwards(name: str) -> Iterator[str]:
    """A path and the folders around it, the nearest first."""
    yield name
    end = name.rfind("/")
    while end > 0:
        yield name[:end]
        end = name.rfind("/", 0, end)


def _fixed(glob: str) -> str:
    """What every path that a glob matches begins with, and the first part that differs; a plain path is itself."""
    parts = glob.split("/")
    first = next((at for at, part in enumerate(parts) if not GLOB_SIGNS.isdisjoint(part)), len(parts))
    return "/".join(parts[: first + 1])


def _expression(glob: str) -> str | None:
    try:
        return f"(?:{glob_to_re2(glob)})"
    except PatternError:
        return None


def _split(paths: Iterable[SurfacePath], rules: SurfaceRules) -> tuple[Mapping[str, None], Mapping[str, None]]:
    """The plain paths, in one spelling each, and the globs; both in order, each once."""
    plain: dict[str, None] = {}
    globs: dict[str, None] = {}
    for path in paths:
        for text in (path.text, *path.readings):
            folder = next((end for end in rules.everything_below if text.endswith(end)), None)
            whole = text.removesuffix(folder) + "/" if folder else text
            plain[normal(whole)] = None
        if path.glob:
            globs.update(dict.fromkeys(_globs(path.text, rules)))
        if len(globs) > rules.most_globs:
            raise VerificationUndetermined(
                "surface_too_large",
                f"the plan's surface has more than {rules.most_globs} globs, and was not judged",
                next_step="name folders in place of globs, or raise most_globs in verify.surface",
            )
    return plain, globs


def _globs(text: str, rules: SurfaceRules) -> Iterator[str]:
    """What a glob of a plan stands for: alternatives apart, a stand-in as any name, and any folder if it has none."""
    whole = _stand_ins().sub("*", text)
    folder = next((end for end in rules.everything_below if whole.endswith(end)), None)
    whole = whole.removesuffix(folder) + "/**" if folder else whole
    for one in _alternatives(whole, rules.most_alternatives):
        if GLOB_SIGNS.isdisjoint(one):
            yield one  # what was an alternative may be a plain path
        slash = "/" if one.endswith("/") else ""
        glob = normpath(one) + slash
        anywhere = "/" not in glob.removesuffix("/") and any(map(str.isalnum, glob))
        yield f"**/{glob}" if anywhere else glob


def _alternatives(text: str, most: int) -> Iterator[str]:
    """``text`` with each ``{a,b}`` as one of its parts; as it is where those would be too many."""
    pieces = _braces().split(text)
    choices = [piece.split(",") if place % 2 else [piece] for place, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
        if count > most:
            yield text
            return
    yield from map("".join, product(*choices))


@cache
def _stand_ins() -> re.Pattern[str]:
    """``<name>`` and ``{name}``: a part of a path that is known later."""
    return re.compile(r"<[^<>/]*>|\{[^{},/]*\}")


@cache
def _braces() -> re.Pattern[str]:
    return re.compile(r"\{([^{}]*,[^{}]*)\}")

"""A revision that a user names, resolved once, to one object, in the only way in which it can be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from toolkit.repository.git import Git
from toolkit.repository.names import decoded, encoded
from toolkit.repository.objects import HASH
from toolkit.repository.problems import FETCH_HISTORY, FETCH_OBJECTS, RepositoryError, RevisionError

HEAD: Final = "HEAD"
LONGEST: Final = 1000  # characters of a revision; no file system holds a longer name of a branch
WHOLE: Final = (40, 64)  # digits of a full hash
# Where Git looks for a name, in its own order: the first that is there wins, so that a tag hides a branch.
RULES: Final = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
NAME_ONE: Final = "name a branch, a tag or a commit, with ~N or ^N after it where that is meant"


class Revision(NamedTuple):
    """What a revision means: ``text`` as it was given, the full id, and whether that is a commit (else a bare tree)."""

    text: str
    oid: str
    is_commit: bool


def resolve(git: Git, text: str) -> Revision:
    """The commit that ``text`` names, or the tree. Two processes, three for what looks like a hash.

    A name that Git would take for one thing of several (a tag and a branch, a hash and a branch) is refused, and so is
    every form that searches, reads the reflog or names a path. Raises ``RevisionError`` (``invalid_revision``,
    ``unknown_revision``, ``ambiguous_revision``); ``RepositoryError`` (``history_incomplete``, ``object_missing``).
    """
    match = _form().fullmatch(text[: LONGEST + 1])
    if match is None or len(text) > LONGEST or not _is_name(match["name"]):
        message = f"{_shown(text)} is no revision that is read here"
        raise RevisionError("invalid_revision", message, place=_shown(text), next_step=NAME_ONE)
    meanings = _meanings(git, match["name"])
    found = _peeled(git, [f"{meaning}{match['steps']}" for meaning in meanings])
    if not found:
        raise _unknown(git, text, meanings)
    if len({oid for _, oid, _ in found}) > 1:
        message = f"{_shown(text)} may mean {' or '.join(name for name, _, _ in found)}, which differ"
        step = "give the full name, such as refs/heads/main"
        raise RevisionError("ambiguous_revision", message, place=_shown(text), next_step=step)
    _, oid, is_commit = found[0]
    return Revision(text, oid, is_commit)


@cache
def _form() -> re.Pattern[str]:
    """A name, and steps back from it; neither part can hold what begins or ends the other."""
    return re.compile(r"(?P<name>[^\x00-\x20\x7f~^:?*\[\\]+)(?P<steps>(?:[~^][0-9]{0,6})*)")


def _is_name(name: str) -> bool:
    return not name.startswith("-") and ".." not in name and "@{" not in name and "//" not in name


def _meanings(git: Git, name: str) -> Sequence[str]:
    """What a name may stand for, each in a form that Git reads in one way: full names of refs, hashes, HEAD."""
    if name == "@":
        return (HEAD,)
    forms = tuple(rule.format(name) for rule in RULES)
    listed = git.run("for-each-ref", "--format=%(refname)", *(form for form in forms if form.startswith("refs/")))
    refs = tuple(form for form in forms if encoded(form) in set(listed.split(b"\n")))
    if _is_special(name):
        return (name, *refs)
    if not HASH.fullmatch(name.lower()):
        return refs
    oids = git.run("rev-parse", f"--disambiguate={name.lower()}").decode("ascii", "replace").split()
    # Whoever gives a whole hash means that object, whatever somebody has called a branch.
    return oids if oids and len(name) in WHOLE else (*oids, *refs)


def _is_special(name: str) -> bool:
    """Whether it is a name that Git keeps outside of ``refs/``, such as HEAD and FETCH_HEAD."""
    return name.endswith(HEAD) and name.replace("_", "").isalpha() and name.isascii() and name.isupper()


def _peeled(git: Git, expressions: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Each expression that means a commit or a tree, with that one's id and whether it is a commit."""
    if not expressions:
        return []
    asked = "".join(f"{one}^{{commit}}\n{one}^{{tree}}\n" for one in expressions)
    answers = iter(_answers(git, asked, 2 * len(expressions)))
    found = []
    for one, commit, tree in zip(expressions, answers, answers, strict=True):
        if HASH.fullmatch(commit):
            found.append((one, commit, True))
        elif HASH.fullmatch(tree):
            found.append((one, tree, False))
    return found


def _answers(git: Git, asked: str, count: int) -> list[str]:
    """The last word of each line that ``git cat-file --batch-check`` answers with: an id, or a word for none."""
    printed = decoded(git.run("cat-file", "--batch-check=%(objectname)", stdin=encoded(asked)))
    words = [line.rpartition(" ")[2] for line in printed.split("\n")[:-1]]
    if len(words) != count:
        message = "git cat-file did not answer for every revision that it was asked about"
        raise RepositoryError("git_failed", message, place=str(git.root), next_step="look at what git fsck says")
    return words


def _unknown(git: Git, text: str, meanings: Sequence[str]) -> RevisionError | RepositoryError:
    """Nothing was found: because there is nothing, or because this clone does not hold it."""
    if git.shallow:
        message = f"{_shown(text)} is not in this clone, which is shallow: it may exist all the same"
        return RepositoryError("history_incomplete", message, place=str(git.root), next_step=FETCH_HISTORY)
    refs = [one for one in meanings if one.startswith("refs/")]
    if refs and not all(map(HASH.fullmatch, _answers(git, "".join(f"{one}\n" for one in refs), len(refs)))):
        message = f"the object that {refs[0]} names is not in this clone"
        return RepositoryError("object_missing", message, place=str(git.root), next_step=FETCH_OBJECTS)
    message = f"{_shown(text)} names no commit and no tree of this repository"
    return RevisionError("unknown_revision", message, place=_shown(text), next_step=NAME_ONE)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 100 else f"{text[:97]}...")

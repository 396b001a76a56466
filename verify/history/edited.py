"""Which documents differ from what was committed last."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolkit.repository.git import open_repository
from toolkit.repository.objects import blobs
from toolkit.storage.canonical import bytes_digest
from verify.artifacts import Artifact
from verify.errors import VerificationUndetermined
from verify.history.rules import HistoryRules

HEAD: Final = "HEAD"
_NO_COMMIT: Final = 1  # how git rev-parse --quiet ends for a name that stands for nothing


def edited(documents: Sequence[Artifact], workspace: Path, rules: HistoryRules) -> frozenset[str]:
    """The paths of the documents whose bytes are not those at HEAD; all of them where nothing was committed yet.

    Symbolic links are followed, as whoever reads the documents follows them; what lies outside of the workspace's
    repository counts as edited. Raises ``VerificationUndetermined`` (``no_repository``); ``RepositoryError`` for
    everything that Git could not tell. Three processes at most.
    """
    git = open_repository(workspace, rules.git)
    if git is None:
        raise VerificationUndetermined(
            "no_repository",
            "the workspace lies in no Git repository, so nobody knows which documents were edited",
            place=str(workspace),
            next_step="look at all documents: --scope all",
        )
    found = git.run("rev-parse", "--verify", "--quiet", f"{HEAD}^{{commit}}", accepted=(0, _NO_COMMIT))
    commit = os.fsdecode(found).strip()
    if not commit:
        return frozenset(document.path for document in documents)
    names = {document.path: _stored(workspace / document.path, git.root) for document in documents}
    stored = blobs(git, [f"{commit}:{name}" for name in names.values() if name is not None])
    digests = {document.path: document.digest for document in documents}
    return frozenset(path for path, name in names.items() if not _same(stored.get(f"{commit}:{name}"), digests[path]))


def _stored(path: Path, root: Path) -> str | None:
    real = Path(os.path.realpath(path))
    return real.relative_to(root).as_posix() if root in real.parents else None


def _same(content: bytes | None, digest: str) -> bool:
    return content is not None and bytes_digest(content) == digest

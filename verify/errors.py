"""Errors of the verifier that a user may see."""

from __future__ import annotations

from toolkit.errors import ToolkitError, UndeterminedError


class WorkspaceError(ToolkitError):
    """The workspace, the task or one of its artifacts is not usable as given (exit 2)."""


class VerificationUndetermined(UndeterminedError):
    """The verification could not be carried out (exit 3): no verdict, neither good nor bad."""

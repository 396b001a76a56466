"""How hypothesis runs here: without a deadline, for a busy machine is no fault of the interpreter."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

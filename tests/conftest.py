"""What every test may ask for."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from toolkit.effects import EFFECTS
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes

# A machine that is busy with something else is no fault of what is tested: no test fails for its speed.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# A shell ignores interrupts on behalf of what it runs in the background; what is tested here is how they are obeyed.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def policies() -> PolicySet:
    """The whole shipped set, loaded cold."""
    root = shipped_root()
    sources = [Source(str(path.relative_to(root)), path.read_bytes(), SHIPPED) for path in shipped_policy_files()]
    return PolicySet.load(sources, shipped_shapes(), effects=EFFECTS)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the user's cache, or reads the user's configuration and policies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DR_VERIFY_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        # Hundreds of tests start the programs, which need not compile every module anew each time.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """A command that was interrupted inside a test leaves signals ignored: it was about to end. The tests go on."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)

"""Fixed seeds in CI, many more examples on demand; commands run in the project."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}
settings.register_profile("ci", max_examples=50, **_COMMON)
settings.register_profile("thorough", max_examples=20_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
# What runs in the background of a shell, or under nohup, ignores some signals, and so
# would all commands.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch):
    """Paths in tests are those that a reader of the README types."""
    monkeypatch.chdir(Path(__file__).parent.parent)


def pytest_ignore_collect(collection_path, config):
    """Tests in a browser run where they are asked for, `make test-page`."""
    asked = any("browser" in argument for argument in config.args)
    return True if collection_path.name == "browser" and not asked else None

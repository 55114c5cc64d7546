"""The fixture `tollgate`: one gateway for all tests. `pytest_plugins =
["tollgate_client.pytest_plugin"]`
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .start_tollgate import StartedTollgate, start_tollgate


@pytest.fixture(scope="session")
def tollgate() -> Iterator[StartedTollgate]:
    """A complete gateway, with a client of its merchant and a simulated buyer."""
    with start_tollgate() as started:
        yield started

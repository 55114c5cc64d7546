"""The fixture `tollgate`: a gateway that is started once for all tests. `pytest_plugins = ["tollgate_client.pytest_plugin"]`"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .start_tollgate import StartedTollgate, start_tollgate


@pytest.fixture(scope="session")
def tollgate() -> Iterator[StartedTollgate]:
    """A whole gateway, with a client of its merchant and a buyer who does as he is told."""
    with start_tollgate() as started:
        yield started

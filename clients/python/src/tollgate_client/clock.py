"""Time, as the library knows it. Tests pass their own."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What tells the time, and lets it pass."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def sleep(self, seconds: float, /) -> None: ...

    async def sleep_async(self, seconds: float, /) -> None: ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float, /) -> None:
        # Programs that never wait this way should not have to load it.
        import asyncio

        await asyncio.sleep(seconds)

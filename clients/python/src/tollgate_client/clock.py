"""The time source of the library. Tests pass their own."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A clock: reads the time and sleeps."""

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def sleep(self, seconds: float, /) -> None: ...

    async def sleep_async(self, seconds: float, /) -> None: ...


class SystemClock:
    """The system clock."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float, /) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float, /) -> None:
        # `asyncio` is imported here, so that synchronous programs do not load it.
        import asyncio

        await asyncio.sleep(seconds)

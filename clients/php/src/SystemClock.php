<?php

declare(strict_types=1);

namespace Tollgate;

/** The system clock. */
final class SystemClock implements Clock
{
    public function now(): int
    {
        return (int) (microtime(true) * 1000);
    }

    public function sleep(int $ms): void
    {
        usleep($ms * 1000);
    }
}

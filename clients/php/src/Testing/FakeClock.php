<?php

declare(strict_types=1);

namespace Tollgate\Testing;

use Tollgate\Clock;

/**
 * A clock that does not advance by itself. `sleep` returns at once and advances the clock by its duration.
 */
final class FakeClock implements Clock
{
    /** @var list<int> all sleep times in order */
    public array $slept = [];

    public function __construct(private int $nowMs = 1_767_225_600_000)
    {
    }

    public function now(): int
    {
        return $this->nowMs;
    }

    public function sleep(int $ms): void
    {
        $this->slept[] = $ms;
        $this->nowMs += $ms;
    }

    public function advance(int $ms): void
    {
        $this->nowMs += $ms;
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Testing;

use Tollgate\Clock;

/** A clock that stands still until it is moved. Whoever sleeps on it is awake at once, and later. */
final class FakeClock implements Clock
{
    /** @var list<int> how long everybody has slept, one after the other */
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

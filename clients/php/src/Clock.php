<?php

declare(strict_types=1);

namespace Tollgate;

/** The time source of the library. Tests pass their own. */
interface Clock
{
    /** Milliseconds since 1970. */
    public function now(): int;

    public function sleep(int $ms): void;
}

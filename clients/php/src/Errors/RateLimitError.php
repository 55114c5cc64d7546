<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** Called too often. Nothing was done. */
final class RateLimitError extends ResultError
{
    public function isPassing(): bool
    {
        return true;
    }
}

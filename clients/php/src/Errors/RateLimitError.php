<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The client sent too many requests (rate limit). The request had no effect. */
final class RateLimitError extends ResultError
{
    public function isPassing(): bool
    {
        return true;
    }
}

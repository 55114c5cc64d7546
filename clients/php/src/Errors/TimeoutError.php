<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** There was no answer in time. Whether the call had an effect is unknown. */
final class TimeoutError extends GatewayError
{
    public function isPassing(): bool
    {
        return true;
    }
}

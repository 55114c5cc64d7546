<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** No response arrived in time. Whether the request took effect is unknown. */
final class TimeoutError extends GatewayError
{
    public function isPassing(): bool
    {
        return true;
    }
}

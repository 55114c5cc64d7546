<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The gateway could not be reached, or the connection broke. Whether the request took effect is unknown. */
final class ConnectionError extends GatewayError
{
    public function isPassing(): bool
    {
        return true;
    }
}

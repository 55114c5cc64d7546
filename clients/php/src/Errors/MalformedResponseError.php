<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** Signed by the gateway, but not what the interface promises. */
final class MalformedResponseError extends GatewayError
{
}

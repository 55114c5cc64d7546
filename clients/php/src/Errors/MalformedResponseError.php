<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** Signed by the gateway, but not a valid response of the API. */
final class MalformedResponseError extends GatewayError
{
}

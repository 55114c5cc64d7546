<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The message is signed by the gateway, but it is not a valid response of the API. */
final class MalformedResponseError extends GatewayError
{
}

<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The client was put together wrongly; nothing was sent. */
class ConfigurationError extends GatewayError
{
}

<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The client's configuration is invalid. No request was sent. */
class ConfigurationError extends GatewayError
{
}

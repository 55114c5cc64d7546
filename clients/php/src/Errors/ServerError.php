<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** Something broke at the gateway or behind it. */
final class ServerError extends ResultError
{
}

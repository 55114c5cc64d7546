<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** A fault at the gateway or at a system behind it. */
final class ServerError extends ResultError
{
}

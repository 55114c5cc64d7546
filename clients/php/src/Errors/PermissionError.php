<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The client is authenticated, but not allowed to do this. */
final class PermissionError extends ResultError
{
}

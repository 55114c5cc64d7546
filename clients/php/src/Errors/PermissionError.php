<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The gateway knows who calls, and does not allow it. */
final class PermissionError extends ResultError
{
}

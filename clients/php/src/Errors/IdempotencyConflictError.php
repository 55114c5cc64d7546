<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The request id was used before with different content. */
final class IdempotencyConflictError extends ResultError
{
}

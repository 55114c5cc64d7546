<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The request id came before with other content. */
final class IdempotencyConflictError extends ResultError
{
}

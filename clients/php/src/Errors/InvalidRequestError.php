<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The request is invalid. Correct it. */
final class InvalidRequestError extends ResultError
{
}

<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The request has to be corrected. */
final class InvalidRequestError extends ResultError
{
}

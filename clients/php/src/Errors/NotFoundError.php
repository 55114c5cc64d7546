<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** There is no such record, or it belongs to another client id. */
final class NotFoundError extends ResultError
{
}

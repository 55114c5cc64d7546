<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The record does not exist, or it belongs to another client id. */
final class NotFoundError extends ResultError
{
}

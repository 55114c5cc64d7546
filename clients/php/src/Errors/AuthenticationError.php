<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The gateway does not know who calls: client id, key or signature. */
final class AuthenticationError extends ResultError
{
}

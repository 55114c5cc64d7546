<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The gateway could not authenticate the client: client id, key or signature. */
final class AuthenticationError extends ResultError
{
}

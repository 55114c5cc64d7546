<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The buyer, the payment provider or a rule of the payment rejected the request. */
final class DeclinedError extends ResultError
{
}

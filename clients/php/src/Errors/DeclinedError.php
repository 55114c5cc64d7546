<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The buyer, the wallet or a rule of the payment says no. */
final class DeclinedError extends ResultError
{
}

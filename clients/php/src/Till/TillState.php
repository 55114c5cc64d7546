<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** The state of a payment at a point of sale. */
final class TillState
{
    /** The buyer is asked to pay. */
    public const ASKING = 'asking';
    /** The outcome is unknown, and the library inquires. */
    public const CHECKING = 'checking';
    /** The payment is being cancelled. */
    public const CANCELLING = 'cancelling';
}

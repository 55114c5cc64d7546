<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** What a till is doing. */
final class TillState
{
    /** The buyer is asked to pay. */
    public const ASKING = 'asking';
    /** Nobody knows yet, and the gateway is asked. */
    public const CHECKING = 'checking';
    /** The payment is called off. */
    public const CANCELLING = 'cancelling';
}

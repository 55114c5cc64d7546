<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** The payment failed: no money was taken, and none will be. `resultCode` has the reason. */
final class Declined extends TillResult
{
    /** @internal */
    public function __construct(string $paymentRequestId, ?string $paymentId, string $resultCode, string $advice)
    {
        parent::__construct('declined', $paymentRequestId, $paymentId, $resultCode, $advice);
    }
}

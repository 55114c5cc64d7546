<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** Nothing was taken, and nothing will be; `resultCode` says why. */
final class Declined extends TillResult
{
    /** @internal */
    public function __construct(string $paymentRequestId, ?string $paymentId, string $resultCode, string $advice)
    {
        parent::__construct('declined', $paymentRequestId, $paymentId, $resultCode, $advice);
    }
}

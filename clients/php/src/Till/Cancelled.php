<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** It was called off: nothing will be taken any more. */
final class Cancelled extends TillResult
{
    /** @internal */
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $resultCode,
        string $advice,
        public readonly ?string $cancelTime,
        /** Whether money had been taken, and went back; null if nobody said. */
        public readonly ?bool $moneyBack,
    ) {
        parent::__construct('cancelled', $paymentRequestId, $paymentId, $resultCode, $advice);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** The payment was cancelled: no money will be taken. */
final class Cancelled extends TillResult
{
    /** @internal */
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $resultCode,
        string $advice,
        public readonly ?string $cancelTime,
        /** Whether money had been taken and is returned; null if this is unknown. */
        public readonly ?bool $moneyBack,
    ) {
        parent::__construct('cancelled', $paymentRequestId, $paymentId, $resultCode, $advice);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

use Tollgate\Models\Amount;

/** The payment succeeded: hand over the goods. */
final class Paid extends TillResult
{
    /** @internal */
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $resultCode,
        string $advice,
        public readonly ?string $paymentTime,
        public readonly ?Amount $paymentAmount,
        public readonly ?Amount $actualPaymentAmount,
    ) {
        parent::__construct('paid', $paymentRequestId, $paymentId, $resultCode, $advice);
    }
}

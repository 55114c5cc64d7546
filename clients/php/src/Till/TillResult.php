<?php

declare(strict_types=1);

namespace Tollgate\Till;

/**
 * The result of a payment at a point of sale: always `Paid`, `Declined`, `Cancelled` or `Unknown`. Hand over
 * the goods only on `Paid`.
 */
abstract class TillResult
{
    /** @internal */
    public function __construct(
        /** `paid`, `declined`, `cancelled` or `unknown`. */
        public readonly string $outcome,
        /** Your own id of the payment. It identifies the payment whatever the outcome. */
        public readonly string $paymentRequestId,
        public readonly ?string $paymentId,
        /** The reason; for `Unknown` the last result code, if there was a response. */
        public readonly ?string $resultCode,
        /** The recommended action. */
        public readonly string $advice,
    ) {
    }
}

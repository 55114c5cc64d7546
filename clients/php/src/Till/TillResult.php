<?php

declare(strict_types=1);

namespace Tollgate\Till;

/**
 * How a payment at a till has ended: `Paid`, `Declined`, `Cancelled` or `Unknown`, and nothing else. The buyer leaves
 * with the goods on `Paid` only.
 */
abstract class TillResult
{
    /** @internal */
    public function __construct(
        /** `paid`, `declined`, `cancelled` or `unknown`. */
        public readonly string $outcome,
        /** Your own id: whatever became of the payment, it is known by this one. */
        public readonly string $paymentRequestId,
        public readonly ?string $paymentId,
        /** Why the payment stands there; of `Unknown`, the last that was heard, if anything was. */
        public readonly ?string $resultCode,
        /** What to do now. */
        public readonly string $advice,
    ) {
    }
}

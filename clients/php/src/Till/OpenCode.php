<?php

declare(strict_types=1);

namespace Tollgate\Till;

/**
 * A code or page with which a buyer can pay until `endsAt`. Pass it to `finishByCode`. The payment is not
 * paid yet.
 */
abstract class OpenCode
{
    /** Always `open`: a result has the same property, so that programs can compare both. */
    public readonly string $outcome;

    /** @internal */
    public function __construct(
        public readonly string $paymentRequestId,
        public readonly ?string $paymentId,
        /** The time of expiry in ISO 8601, by the clock of this machine. */
        public readonly string $endsAt,
    ) {
        $this->outcome = 'open';
    }
}

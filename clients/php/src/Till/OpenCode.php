<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** A code or a page that a buyer can pay with until `endsAt`. Pass it to `finishByCode`. Nothing is paid yet. */
abstract class OpenCode
{
    /** As of a result, which it is not. */
    public readonly string $outcome;

    /** @internal */
    public function __construct(
        public readonly string $paymentRequestId,
        public readonly ?string $paymentId,
        /** ISO 8601, by the clock of this machine. */
        public readonly string $endsAt,
    ) {
        $this->outcome = 'open';
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

/**
 * The outcome is unknown, and so is whether the payment is cancelled. Keep the id, and finish the payment
 * with `finishByCode`.
 */
final class Unknown extends TillResult
{
    private const ADVICE =
        'Keep the goods and the id. Call finishByCode with the id until the outcome is known.';

    /** @internal */
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        ?string $resultCode,
        /** The error that occurred instead of the last response. */
        public readonly ?\Throwable $cause,
    ) {
        parent::__construct('unknown', $paymentRequestId, $paymentId, $resultCode, self::ADVICE);
    }
}

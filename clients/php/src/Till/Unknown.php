<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** Nobody knows, not even whether it is cancelled. Keep the id, and finish it with `finishByCode`. */
final class Unknown extends TillResult
{
    private const ADVICE =
        'Keep the goods and the id, and call finishByCode with it until it says something else.';

    /** @internal */
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        ?string $resultCode,
        /** What came in place of the last answer. */
        public readonly ?\Throwable $cause,
    ) {
        parent::__construct('unknown', $paymentRequestId, $paymentId, $resultCode, self::ADVICE);
    }
}

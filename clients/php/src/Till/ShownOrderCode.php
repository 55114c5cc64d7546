<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** A code to show to the buyer. */
final class ShownOrderCode extends OpenCode
{
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $endsAt,
        /** The content of the code to draw. */
        public readonly string $codeText,
    ) {
        parent::__construct($paymentRequestId, $paymentId, $endsAt);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** There is a code to show. */
final class ShownOrderCode extends OpenCode
{
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $endsAt,
        /** What the code says: draw it. */
        public readonly string $codeText,
    ) {
        parent::__construct($paymentRequestId, $paymentId, $endsAt);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** There is a page to send the buyer to. */
final class OpenedEntryCode extends OpenCode
{
    public function __construct(
        string $paymentRequestId,
        ?string $paymentId,
        string $endsAt,
        public readonly string $redirectUrl,
    ) {
        parent::__construct($paymentRequestId, $paymentId, $endsAt);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Till;

/** A page for the buyer to open. */
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

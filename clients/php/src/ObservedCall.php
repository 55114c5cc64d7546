<?php

declare(strict_types=1);

namespace Tollgate;

/** A call that begins. */
final class ObservedCall
{
    public function __construct(
        /** `payments/pay`. */
        public readonly string $operation,
        /** Your own id of the request, such as its `paymentRequestId`. */
        public readonly ?string $requestId,
        /** Where it goes, without the path. */
        public readonly string $baseUrl,
    ) {
    }
}

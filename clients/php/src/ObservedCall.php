<?php

declare(strict_types=1);

namespace Tollgate;

/** A call that starts. */
final class ObservedCall
{
    public function __construct(
        /** `payments/pay`. */
        public readonly string $operation,
        /** Your own id of the request, such as its `paymentRequestId`. */
        public readonly ?string $requestId,
        /** The gateway's base URL, without the path. */
        public readonly string $baseUrl,
    ) {
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** What is known of the call that failed. All of it is safe to log. */
final class CallFacts
{
    public function __construct(
        /** `payments/pay`. */
        public readonly ?string $operation = null,
        /** Your own id of the request, such as its `paymentRequestId`: repeat the call with the same one. */
        public readonly ?string $requestId = null,
        /** The gateway's name for the call: tell it to support. */
        public readonly ?string $traceId = null,
        public readonly ?int $attempts = null,
    ) {
    }

    public function withAttempts(int $attempts): self
    {
        return new self($this->operation, $this->requestId, $this->traceId, $attempts);
    }

    public function withTraceId(?string $traceId): self
    {
        return new self($this->operation, $this->requestId, $traceId ?? $this->traceId, $this->attempts);
    }
}

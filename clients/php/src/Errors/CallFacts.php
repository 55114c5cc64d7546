<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The facts about the failed call. All of them are safe to log. */
final class CallFacts
{
    public function __construct(
        /** `payments/pay`. */
        public readonly ?string $operation = null,
        /** Your own id of the request, such as its `paymentRequestId`. Retry with the same id. */
        public readonly ?string $requestId = null,
        /** The gateway's id of the request. Give it to support. */
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

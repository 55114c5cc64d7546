<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The base of all errors of this library. It is an exception: PHP's own errors are another thing. */
class GatewayError extends \RuntimeException
{
    /** `payments/pay`. */
    public readonly ?string $operation;
    /** Your own id of the request, such as its `paymentRequestId`: repeat the call with the same one. */
    public readonly ?string $requestId;
    /** The gateway's name for the call: tell it to support. */
    public readonly ?string $traceId;
    public readonly ?int $attempts;

    public function __construct(string $message, ?CallFacts $facts = null, ?\Throwable $previous = null)
    {
        parent::__construct($message, 0, $previous);
        $this->operation = $facts?->operation;
        $this->requestId = $facts?->requestId;
        $this->traceId = $facts?->traceId;
        $this->attempts = $facts?->attempts;
    }

    /** Whether it may be over by the next time, so that it is no reason to stop asking. */
    public function isPassing(): bool
    {
        return false;
    }

    /** `ConnectionError`: the class without its namespace, as logs show it. */
    final public function name(): string
    {
        return substr((string) strrchr('\\' . static::class, '\\'), 1);
    }
}

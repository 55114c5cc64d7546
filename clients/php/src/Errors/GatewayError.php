<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The base class of all errors of this library. It is an exception, not one of PHP's own errors. */
class GatewayError extends \RuntimeException
{
    /** `payments/pay`. */
    public readonly ?string $operation;
    /** Your own id of the request, such as its `paymentRequestId`. Retry with the same id. */
    public readonly ?string $requestId;
    /** The gateway's id of the request. Give it to support. */
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

    /** Whether the fault may be temporary, so that polling should continue. */
    public function isPassing(): bool
    {
        return false;
    }

    /** `ConnectionError`: the class name without namespace, for logs. */
    final public function name(): string
    {
        return substr((string) strrchr('\\' . static::class, '\\'), 1);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The response has an HTTP status other than 200, so it is not a result from the gateway. */
final class HttpStatusError extends GatewayError
{
    public function __construct(
        public readonly int $status,
        /** The beginning of the response body. It is not signed. */
        public readonly string $body,
        ?CallFacts $facts = null,
    ) {
        parent::__construct("The gateway answered with HTTP {$status}.", $facts);
    }

    public function isPassing(): bool
    {
        return $this->status === 429 || $this->status >= 500;
    }
}

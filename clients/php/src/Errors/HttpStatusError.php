<?php

declare(strict_types=1);

namespace Tollgate\Errors;

/** The answer had another HTTP status than 200, so it is not the gateway's word about the call. */
final class HttpStatusError extends GatewayError
{
    public function __construct(
        public readonly int $status,
        /** The beginning of what was answered. Nobody has signed it. */
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

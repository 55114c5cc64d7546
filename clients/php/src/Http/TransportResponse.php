<?php

declare(strict_types=1);

namespace Tollgate\Http;

/** What came back, to the byte. */
final class TransportResponse
{
    public function __construct(
        public readonly int $status,
        public readonly Headers $headers,
        public readonly string $body,
    ) {
    }
}

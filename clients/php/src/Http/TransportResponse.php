<?php

declare(strict_types=1);

namespace Tollgate\Http;

/** The response, byte for byte. */
final class TransportResponse
{
    public function __construct(
        public readonly int $status,
        public readonly Headers $headers,
        public readonly string $body,
    ) {
    }
}

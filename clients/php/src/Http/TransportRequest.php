<?php

declare(strict_types=1);

namespace Tollgate\Http;

/** The request, byte for byte. */
final class TransportRequest
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        /** The time limit from the first byte sent to the last byte received. */
        public readonly int $timeoutMs,
        public readonly int $connectTimeoutMs,
        /** Whether the transport may resend the same bytes when a kept-alive connection is dead. */
        public readonly bool $isRepeatable,
        /**
         * The maximum size of the response in bytes. A transport can stop after one more byte, because the
         * library rejects a longer response.
         */
        public readonly int $answerBytesMax = 2 * 1024 * 1024,
    ) {
    }
}

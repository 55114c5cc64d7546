<?php

declare(strict_types=1);

namespace Tollgate\Http;

/** What is sent, to the byte. */
final class TransportRequest
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        /** From the first byte sent to the last byte received. */
        public readonly int $timeoutMs,
        public readonly int $connectTimeoutMs,
        /** Whether the same bytes may be sent again when a connection that was kept open turns out to be dead. */
        public readonly bool $isRepeatable,
        /** Nobody has to read more than one byte beyond: such an answer is refused. */
        public readonly int $answerBytesMax = 2 * 1024 * 1024,
    ) {
    }
}

<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\CallFacts;

/**
 * One call of one operation: the parts that are equal in all of its attempts.
 *
 * @internal
 */
final class PreparedCall
{
    /**
     * @param array<string, string> $headers
     * @param array<string, string> $subject the request's own ids
     */
    public function __construct(
        public readonly string $path,
        /** Serialised once, so that every attempt sends the same bytes. */
        public readonly string $body,
        public readonly array $headers,
        public readonly CallFacts $facts,
        public readonly int $timeoutMs,
        public readonly bool $isRepeatable,
        /** The deadline, as a time of the client's clock. No attempt starts after it. */
        public readonly float $untilMs,
        public readonly int $answerBytesMax,
        public readonly array $subject,
    ) {
    }
}

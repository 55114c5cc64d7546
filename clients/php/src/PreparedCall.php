<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\CallFacts;

/**
 * One call of one operation: what is the same in all of its attempts.
 *
 * @internal
 */
final class PreparedCall
{
    /**
     * @param array<string, string> $headers
     * @param array<string, string> $subject what is asked about: the request's own ids
     */
    public function __construct(
        public readonly string $path,
        /** Written once, so that every attempt sends the same bytes. */
        public readonly string $body,
        public readonly array $headers,
        public readonly CallFacts $facts,
        public readonly int $timeoutMs,
        public readonly bool $isRepeatable,
        /** By the clock: nothing is begun any more from then on. */
        public readonly float $untilMs,
        public readonly int $answerBytesMax,
        public readonly array $subject,
    ) {
    }
}

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
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $path,
        /** Written once, so that every attempt sends the same bytes. */
        public readonly string $body,
        public readonly array $headers,
        public readonly CallFacts $facts,
        public readonly int $timeoutMs,
        public readonly bool $isRepeatable,
    ) {
    }
}

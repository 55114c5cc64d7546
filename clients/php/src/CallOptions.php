<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\ConfigurationError;

/** What is different for one call. What is left out is as the client has it. */
final class CallOptions
{
    /** @param array<string, string> $headers beside those of the client */
    public function __construct(
        /** For each attempt. */
        public readonly ?int $timeoutMs = null,
        public readonly ?int $maxRetries = null,
        public readonly array $headers = [],
        /** `false`: a refusal is returned like any other answer instead of being thrown. */
        public readonly bool $throwOnFailure = true,
        /** For all attempts and the pauses between them; without it the retries decide how long a call may take. */
        public readonly ?int $deadlineMs = null,
    ) {
        // To curl, 0 would be all the time in the world.
        if ($timeoutMs !== null && $timeoutMs <= 0) {
            throw new ConfigurationError('timeoutMs has to be more than 0.');
        }
        if ($deadlineMs !== null && $deadlineMs < 0) {
            throw new ConfigurationError('deadlineMs must not be less than 0.');
        }
        if ($maxRetries !== null && $maxRetries < 0) {
            throw new ConfigurationError('maxRetries must not be less than 0.');
        }
    }
}

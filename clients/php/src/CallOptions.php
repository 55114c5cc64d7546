<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\ConfigurationError;

/** Options of a single call. The defaults are the client's settings. */
final class CallOptions
{
    /** @param array<string, string> $headers in addition to those of the client */
    public function __construct(
        /** For each attempt. */
        public readonly ?int $timeoutMs = null,
        public readonly ?int $maxRetries = null,
        public readonly array $headers = [],
        /** If `false`, a rejection (`F`) is returned like any other response instead of thrown. */
        public readonly bool $throwOnFailure = true,
        /**
         * The time limit for all attempts and the pauses between them. If it is not set, the number of
         * retries limits the duration.
         */
        public readonly ?int $deadlineMs = null,
    ) {
        // For curl, 0 means no timeout.
        if ($timeoutMs !== null && $timeoutMs <= 0) {
            throw new ConfigurationError('timeoutMs must be greater than 0.');
        }
        if ($deadlineMs !== null && $deadlineMs < 0) {
            throw new ConfigurationError('deadlineMs must not be less than 0.');
        }
        if ($maxRetries !== null && $maxRetries < 0) {
            throw new ConfigurationError('maxRetries must not be less than 0.');
        }
    }
}

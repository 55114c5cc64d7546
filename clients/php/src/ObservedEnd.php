<?php

declare(strict_types=1);

namespace Tollgate;

/** How a call has ended, with all of its attempts. */
final class ObservedEnd
{
    public function __construct(
        /** The result code, or the name of the error: `SUCCESS`, `TimeoutError`. */
        public readonly string $outcome,
        public readonly int $durationMs,
        public readonly int $attempts,
        /** The gateway's name for the call. */
        public readonly ?string $traceId,
        /** What was thrown, if anything was. */
        public readonly ?\Throwable $error,
    ) {
    }
}

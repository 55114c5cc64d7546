<?php

declare(strict_types=1);

namespace Tollgate;

/** The end of a call, with all of its attempts. */
final class ObservedEnd
{
    public function __construct(
        /** The result code, or the name of the error: `SUCCESS`, `TimeoutError`. */
        public readonly string $outcome,
        public readonly int $durationMs,
        public readonly int $attempts,
        /** The gateway's id of the request. */
        public readonly ?string $traceId,
        /** The error that the call threw, if any. */
        public readonly ?\Throwable $error,
    ) {
    }
}

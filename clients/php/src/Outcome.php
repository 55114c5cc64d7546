<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Errors\GatewayError;
use Tollgate\Models\Answer;

/**
 * The outcome of one attempt, and whether a retry is allowed.
 *
 * @internal
 */
final class Outcome
{
    public function __construct(
        public readonly Answer|GatewayError $end,
        public readonly bool $isRetryable,
        public readonly ?int $retryAfterMs = null,
    ) {
    }

    /** The result code, or the name of the error. */
    public function name(): string
    {
        return $this->end instanceof Answer ? $this->end->result->resultCode : $this->end->name();
    }

    public function traceId(): ?string
    {
        return $this->end instanceof Answer ? $this->end->traceId() : $this->end->traceId;
    }
}

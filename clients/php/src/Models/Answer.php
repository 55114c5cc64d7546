<?php

declare(strict_types=1);

namespace Tollgate\Models;

/**
 * An answer whose signature holds.
 *
 * @property-read Result $result
 */
abstract class Answer extends Model
{
    private ?string $traceId = null;
    private int $attempts = 1;

    /** `S`: it happened. */
    final public function isSuccess(): bool
    {
        return $this->result->resultStatus === ResultStatus::S;
    }

    /** `U`: nobody knows yet. Wait for the notification, or inquire. */
    public function isPending(): bool
    {
        return $this->result->resultStatus === ResultStatus::U;
    }

    /** `F`: it did not happen. Only with `throwOnFailure: false`. */
    final public function isFailure(): bool
    {
        return $this->result->resultStatus === ResultStatus::F;
    }

    /** The gateway's name for the call: tell it to support. */
    final public function traceId(): ?string
    {
        return $this->traceId;
    }

    final public function attempts(): int
    {
        return $this->attempts;
    }

    /** @internal */
    final public function arrived(?string $traceId, int $attempts): static
    {
        [$this->traceId, $this->attempts] = [$traceId, $attempts];
        return $this;
    }
}

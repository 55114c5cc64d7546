<?php

declare(strict_types=1);

namespace Tollgate\Models;

/**
 * A response with a valid signature.
 *
 * @property-read Result $result
 */
abstract class Answer extends Model
{
    private ?string $traceId = null;
    private int $attempts = 1;

    /** `S`: success. */
    final public function isSuccess(): bool
    {
        return $this->result->resultStatus === ResultStatus::S;
    }

    /** `U`: the outcome is unknown. Wait for the webhook, or inquire. */
    public function isPending(): bool
    {
        return $this->result->resultStatus === ResultStatus::U;
    }

    /** `F`: final failure. It can be true only with `throwOnFailure: false`. */
    final public function isFailure(): bool
    {
        return $this->result->resultStatus === ResultStatus::F;
    }

    /** The gateway's id of the request. Give it to support. */
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

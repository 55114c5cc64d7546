<?php

declare(strict_types=1);

namespace Tollgate\Till;

use Tollgate\Models\Answer;

/**
 * The outcome of a call: a signed response, or a failure, which contains no information about money.
 *
 * @template Response of Answer
 * @internal
 */
final class Heard
{
    /** @param Response|null $answer */
    public function __construct(
        public readonly ?Answer $answer = null,
        public readonly ?string $code = null,
        public readonly ?\Throwable $fault = null,
    ) {
    }

    public function isSuccess(): bool
    {
        return $this->answer?->isSuccess() ?? false;
    }

    public function isFailure(): bool
    {
        return $this->answer?->isFailure() ?? false;
    }
}

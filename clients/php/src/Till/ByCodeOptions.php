<?php

declare(strict_types=1);

namespace Tollgate\Till;

use Tollgate\Errors\ConfigurationError;

/** How a payment at a till is handled. */
final class ByCodeOptions
{
    /**
     * @param list<int|float> $inquireAfterSeconds pauses before each inquiry; when they are used up, it is cancelled
     * @param list<int|float> $cancelAfterSeconds pauses before a cancel is repeated
     * @param list<int|float> $resendAfterSeconds pauses before the same `pay` is sent again for a code
     * @param int $timeoutMs for each answer
     * @param (\Closure(): bool)|null $stop is asked between calls and during pauses; when it says so, the payment is
     *     cancelled at once, and the result says how that went
     * @param (\Closure(string): mixed)|null $onState is told what is being done, for the cashier; see `TillState`
     */
    public function __construct(
        public readonly array $inquireAfterSeconds = [2, 3, 3, 5, 5, 5, 5, 5, 5],
        public readonly array $cancelAfterSeconds = [2, 3, 3, 5, 5],
        public readonly array $resendAfterSeconds = [2, 3],
        public readonly int $timeoutMs = 5_000,
        public readonly ?\Closure $stop = null,
        public readonly ?\Closure $onState = null,
    ) {
        $all = [...$inquireAfterSeconds, ...$cancelAfterSeconds, ...$resendAfterSeconds];
        if ($all !== [] && min($all) < 0) {
            throw new ConfigurationError('A pause must not be less than 0.');
        }
    }
}

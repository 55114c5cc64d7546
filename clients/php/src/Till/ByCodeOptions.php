<?php

declare(strict_types=1);

namespace Tollgate\Till;

use Tollgate\Errors\ConfigurationError;

/** Options of a payment at a point of sale. */
final class ByCodeOptions
{
    /**
     * @param list<int|float> $inquireAfterSeconds pauses before each inquiry; after the last inquiry, the
     *     payment is cancelled
     * @param list<int|float> $cancelAfterSeconds pauses before a cancel is retried
     * @param list<int|float> $resendAfterSeconds pauses before the same `pay` request for a code is retried
     * @param int $timeoutMs for each response
     * @param (\Closure(): bool)|null $stop called between requests and during pauses; when it returns true,
     *     the payment is cancelled at once, and the result reports the outcome
     * @param (\Closure(string): mixed)|null $onState called when the state changes, to inform the cashier;
     *     see `TillState`
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

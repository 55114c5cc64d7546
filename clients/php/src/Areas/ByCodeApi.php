<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\ConfigurationError;
use Tollgate\Models\PayRequest;
use Tollgate\Till\ByCodeOptions;
use Tollgate\Till\OpenCode;
use Tollgate\Till\OpenedEntryCode;
use Tollgate\Till\ShownOrderCode;
use Tollgate\Till\TillResult;

/** What `PaysByCode` does. Your tests can double it. Do not implement it: a minor version may add methods. */
interface ByCodeApi
{
    /**
     * Takes a payment with the code that the buyer shows (`PaymentCode`), and says how it ended.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
     */
    public function payByCode(PayRequest|array $request, ?ByCodeOptions $options = null): TillResult;

    /**
     * Gets a code for the buyer to scan (`OrderCode`), or the result why there is none.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
     */
    public function showOrderCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): ShownOrderCode|TillResult;

    /**
     * Gets the page to send the buyer to (`EntryCode`), or the result why there is none.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before anything is sent
     */
    public function openEntryCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): OpenedEntryCode|TillResult;

    /**
     * Brings a payment to its end: asks, and then cancels.
     *
     * @throws ConfigurationError before anything is sent
     */
    public function finishByCode(string|OpenCode $payment, ?ByCodeOptions $options = null): TillResult;
}

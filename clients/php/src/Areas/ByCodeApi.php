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

/**
 * The methods of `PaysByCode`. Only test doubles may implement this interface, because a minor version may
 * add methods.
 */
interface ByCodeApi
{
    /**
     * Takes a payment with the code that the buyer shows (`PaymentCode`), and returns the outcome.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function payByCode(PayRequest|array $request, ?ByCodeOptions $options = null): TillResult;

    /**
     * Gets a code for the buyer to scan (`OrderCode`), or a result with the reason if there is no code.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function showOrderCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): ShownOrderCode|TillResult;

    /**
     * Gets a page for the buyer to open (`EntryCode`), or a result with the reason if there is no page.
     *
     * @param PayRequest|array<string, mixed> $request
     * @throws ConfigurationError before the request is sent
     */
    public function openEntryCode(
        PayRequest|array $request,
        ?ByCodeOptions $options = null,
    ): OpenedEntryCode|TillResult;

    /**
     * Brings a payment to a final outcome: inquires, and then cancels.
     *
     * @throws ConfigurationError before a request is sent
     */
    public function finishByCode(string|OpenCode $payment, ?ByCodeOptions $options = null): TillResult;
}

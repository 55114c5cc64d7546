<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Models\InquiryPaymentResponse;
use Tollgate\Models\InquiryRefundRequest;
use Tollgate\Models\InquiryRefundResponse;

/** What `WaitsForFinal` does. Your tests can double it. Do not implement it: a minor version may add methods. */
interface WaitingApi
{
    /**
     * Asks about a payment until it is SUCCESS, FAIL or CANCELLED.
     *
     * @param InquiryPaymentRequest|array<string, mixed> $payment
     * @throws TimeoutError when that takes too long; the payment goes on all the same
     * @throws GatewayError when there is no answer that can be trusted
     */
    public function waitForFinal(InquiryPaymentRequest|array $payment, int $timeoutMs = 60_000): InquiryPaymentResponse;

    /**
     * Asks about a refund until it is SUCCESS or FAIL.
     *
     * @param InquiryRefundRequest|array<string, mixed> $refund
     * @throws TimeoutError when that takes too long; the refund goes on all the same
     * @throws GatewayError when there is no answer that can be trusted
     */
    public function waitForFinalRefund(
        InquiryRefundRequest|array $refund,
        int $timeoutMs = 60_000,
    ): InquiryRefundResponse;
}

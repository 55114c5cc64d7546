<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Models\InquiryPaymentResponse;
use Tollgate\Models\InquiryRefundRequest;
use Tollgate\Models\InquiryRefundResponse;

/**
 * The methods of `WaitsForFinal`. Only test doubles may implement this interface, because a minor version may
 * add methods.
 */
interface WaitingApi
{
    /**
     * Polls a payment until it is SUCCESS, FAIL or CANCELLED.
     *
     * @param InquiryPaymentRequest|array<string, mixed> $payment
     * @throws TimeoutError if that takes too long; the payment itself continues
     * @throws GatewayError when there is no valid response
     */
    public function waitForFinal(InquiryPaymentRequest|array $payment, int $timeoutMs = 60_000): InquiryPaymentResponse;

    /**
     * Polls a refund until it is SUCCESS or FAIL.
     *
     * @param InquiryRefundRequest|array<string, mixed> $refund
     * @throws TimeoutError if that takes too long; the refund itself continues
     * @throws GatewayError when there is no valid response
     */
    public function waitForFinalRefund(
        InquiryRefundRequest|array $refund,
        int $timeoutMs = 60_000,
    ): InquiryRefundResponse;
}

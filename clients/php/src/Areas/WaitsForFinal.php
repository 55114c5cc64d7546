<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\CallOptions;
use Tollgate\Errors\GatewayError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Models\Answer;
use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Models\InquiryPaymentResponse;
use Tollgate\Models\InquiryRefundRequest;
use Tollgate\Models\InquiryRefundResponse;

/** Methods of `payments` in addition to its operations: polling until the status is final. */
trait WaitsForFinal
{
    /**
     * Polls a payment until it is SUCCESS, FAIL or CANCELLED.
     *
     * @param InquiryPaymentRequest|array<string, mixed> $payment
     * @throws TimeoutError if that takes too long; the payment itself continues
     * @throws GatewayError when there is no valid response
     */
    public function waitForFinal(InquiryPaymentRequest|array $payment, int $timeoutMs = 60_000): InquiryPaymentResponse
    {
        $inquire = fn (CallOptions $options): InquiryPaymentResponse => $this->inquiryPayment($payment, $options);
        return $this->waitFor('payment', $inquire, static fn ($answer): ?string => $answer->paymentStatus, $timeoutMs);
    }

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
    ): InquiryRefundResponse {
        $inquire = fn (CallOptions $options): InquiryRefundResponse => $this->inquiryRefund($refund, $options);
        return $this->waitFor('refund', $inquire, static fn ($answer): ?string => $answer->refundStatus, $timeoutMs);
    }

    /**
     * @template Response of Answer
     * @param \Closure(CallOptions): Response $inquire
     * @param \Closure(Response): ?string $statusOf
     * @return Response
     */
    private function waitFor(string $what, \Closure $inquire, \Closure $statusOf, int $timeoutMs): Answer
    {
        $clock = $this->caller->clock();
        $untilMs = $clock->now() + $timeoutMs;
        for ($pauseMs = 500; ; $pauseMs = min(intdiv($pauseMs * 3, 2), 5_000)) {
            $leftMs = (int) max(0, $untilMs - $clock->now());
            $answer = self::unlessPassing($inquire, new CallOptions(deadlineMs: $leftMs));
            $status = $answer === null ? 'no answer' : $statusOf($answer) ?? 'PROCESSING';
            if ($answer !== null && !in_array($status, ['PROCESSING', 'PENDING'], true)) {
                return $answer;
            }
            if ($clock->now() + $pauseMs > $untilMs) {
                throw new TimeoutError("The {$what} is not final after {$timeoutMs} ms: {$status}.");
            }
            $clock->sleep($pauseMs);
        }
    }

    /** Polling continues after a temporary fault. */
    private static function unlessPassing(\Closure $inquire, CallOptions $options): ?Answer
    {
        try {
            return $inquire($options);
        } catch (GatewayError $error) {
            return $error->isPassing() ? null : throw $error;
        }
    }
}

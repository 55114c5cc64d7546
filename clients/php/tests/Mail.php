<?php

declare(strict_types=1);

namespace Tollgate\Tests;

/** Bodies of webhooks. */
final class Mail
{
    public static function paid(string $paymentId, int $sequence): string
    {
        return json_encode([
            'notifyType' => 'PAYMENT_RESULT',
            'result' => ['resultCode' => 'SUCCESS', 'resultStatus' => 'S', 'resultMessage' => 'success.'],
            'paymentId' => $paymentId,
            'paymentRequestId' => 'order-1001-attempt-1',
            'paymentAmount' => ['currency' => 'EUR', 'value' => '1250'],
            'paymentCreateTime' => '2026-01-01T00:00:00+00:00',
            'sequence' => $sequence,
        ], JSON_THROW_ON_ERROR);
    }
}

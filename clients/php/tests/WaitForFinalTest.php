<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\NotFoundError;
use Tollgate\Errors\TimeoutError;
use Tollgate\Testing\Reply;

final class WaitForFinalTest extends TestCase
{
    public function testItPollsUntilThePaymentIsFinal(): void
    {
        $shop = new Shop([self::status('PROCESSING'), self::status('PENDING'), self::status('SUCCESS')]);
        self::assertSame('SUCCESS', $shop->client->payments->waitForFinal(['paymentId' => '2026'])->paymentStatus);
        self::assertSame([500, 750], $shop->clock->slept);
    }

    public function testPollingContinuesAfterATemporaryFault(): void
    {
        $shop = new Shop([Reply::reset(), new Reply(status: 502), self::status('FAIL')], ['maxRetries' => 0]);
        self::assertSame('FAIL', $shop->client->payments->waitForFinal(['paymentId' => '2026'])->paymentStatus);
    }

    public function testPollingStopsAtARejection(): void
    {
        $this->expectException(NotFoundError::class);
        (new Shop([Reply::result('ORDER_NOT_EXIST', 'F')]))->client->payments->waitForFinal(['paymentId' => '2026']);
    }

    public function testPollingHasATimeLimit(): void
    {
        $shop = new Shop(array_fill(0, 20, self::status('PROCESSING')));
        $this->expectException(TimeoutError::class);
        $this->expectExceptionMessage('The payment is not final after 3000 ms: PROCESSING.');
        $shop->client->payments->waitForFinal(['paymentId' => '2026'], 3_000);
    }

    public function testRefundsArePolledToo(): void
    {
        $shop = new Shop([Reply::success(['refundStatus' => 'PROCESSING']), Reply::success(['refundStatus' => 'SUCCESS'])]);
        self::assertSame('SUCCESS', $shop->client->payments->waitForFinalRefund(['refundId' => '1'])->refundStatus);
    }

    private static function status(string $status): Reply
    {
        return Reply::success(['paymentStatus' => $status]);
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\NotFoundError;
use Tollgate\ObservedCall;
use Tollgate\ObservedEnd;
use Tollgate\Testing\Reply;

final class ObserverTest extends TestCase
{
    public function testItReceivesStartAndEnd(): void
    {
        $told = [];
        $observer = static function (ObservedCall $call) use (&$told): \Closure {
            $told[] = "{$call->operation} {$call->requestId}";
            return static function (ObservedEnd $end) use (&$told): void {
                $told[] = "{$end->outcome} {$end->attempts} " . ($end->error === null ? 'ok' : $end->error::class);
            };
        };
        $replies = [Reply::reset(), Reply::success(), Reply::result('ORDER_NOT_EXIST', 'F')];
        $shop = new Shop($replies, ['observer' => $observer]);
        $shop->client->payments->inquiryPayment(['paymentRequestId' => 'o-1']);
        try {
            $shop->client->payments->inquiryPayment(['paymentRequestId' => 'o-2']);
            self::fail('It was found.');
        } catch (NotFoundError) {
        }
        self::assertSame([
            'payments/inquiryPayment o-1',
            'SUCCESS 2 ok',
            'payments/inquiryPayment o-2',
            'ORDER_NOT_EXIST 1 ' . NotFoundError::class,
        ], $told);
    }

    public function testAnObserverThatThrowsDoesNotMakeAPaymentFail(): void
    {
        $fail = static fn () => throw new \RuntimeException('The collector is away.');
        foreach ([$fail, static fn () => $fail] as $observer) {
            $shop = new Shop([Reply::success()], ['observer' => $observer]);
            self::assertTrue($shop->client->payments->inquiryPayment(['paymentId' => '1'])->isSuccess());
        }
    }

    public function testAnUnknownLogLevelIsReported(): void
    {
        putenv('TOLLGATE_LOG=loud');
        try {
            $this->expectException(ConfigurationError::class);
            $this->expectExceptionMessage('TOLLGATE_LOG must be debug, info or warn, not loud.');
            new Shop();
        } finally {
            putenv('TOLLGATE_LOG');
        }
    }
}

<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Areas\PaymentsAreaApi;
use Tollgate\Areas\PaymentsArea;
use Tollgate\Models\CancelRequest;
use Tollgate\Models\CancelResponse;
use Tollgate\Models\Result;
use Tollgate\Tollgate;
use Tollgate\TollgateApi;

/** Tests that a merchant would write with the library. */
final class DoubleTest extends TestCase
{
    public function testCodeThatUsesTheInterfaceIsTestedWithoutAGateway(): void
    {
        $payments = $this->createMock(PaymentsAreaApi::class);
        $answer = new CancelResponse(result: new Result(resultCode: 'SUCCESS', resultStatus: 'S', resultMessage: 'success'));
        $payments->expects(self::once())->method('cancel')->with(self::equalTo(new CancelRequest(paymentId: '1')))->willReturn($answer);
        $gateway = $this->createStub(TollgateApi::class);
        $gateway->method('payments')->willReturn($payments);

        self::assertSame('SUCCESS', self::giveUp($gateway, '1'));
    }

    public function testTheClientImplementsTheInterface(): void
    {
        $client = (new Shop())->client;
        self::assertInstanceOf(TollgateApi::class, $client);
        self::assertSame($client->payments, $client->payments());
        self::assertSame($client->webhooks, $client->webhooks());
    }

    /** Every public method of an area is in its interface, so that test doubles are complete. */
    public function testAnInterfaceHasEveryMethodOfItsClass(): void
    {
        $pairs = [Tollgate::class => TollgateApi::class];
        foreach ((new \ReflectionClass(Tollgate::class))->getParentClass()->getProperties() as $property) {
            $pairs[$property->getType()->getName()] = $property->getType()->getName() . 'Api';
        }
        self::assertGreaterThan(4, count($pairs));
        foreach ($pairs as $class => $interface) {
            foreach ((new \ReflectionClass($class))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
                if (!$method->isConstructor() && !$method->isStatic()) {
                    self::assertTrue(method_exists($interface, $method->getName()), "{$interface} has no {$method->getName()}.");
                }
            }
        }
    }

    public function testAnAreaCanStillBeDoubledByItsClass(): void
    {
        $payments = $this->createMock(PaymentsArea::class);
        $payments->expects(self::once())->method('cancel')->willThrowException(new \RuntimeException('as told'));
        $this->expectExceptionMessage('as told');
        $payments->cancel(new CancelRequest(paymentId: '1'));
    }

    /** A merchant's own function. */
    private static function giveUp(TollgateApi $gateway, string $paymentId): string
    {
        return $gateway->payments()->cancel(new CancelRequest(paymentId: $paymentId))->result->resultCode;
    }
}

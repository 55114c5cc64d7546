<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Models\Env;
use Tollgate\Models\Order;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PayRequest;
use Tollgate\Models\ProductCode;
use Tollgate\Models\TerminalType;
use Tollgate\Money;
use Tollgate\Testing\StartedTollgate;
use Tollgate\Testing\StartsTollgate;
use Tollgate\Tollgate;

/** Tests with a whole gateway, as a shop would write them. `npm run packages` says in TOLLGATE_COMMAND how to start it. */
final class StartTollgateTest extends TestCase
{
    use StartsTollgate;

    protected function setUp(): void
    {
        if (getenv('TOLLGATE_COMMAND') === false) {
            self::markTestSkipped('TOLLGATE_COMMAND does not say how tollgate is started.');
        }
    }

    public function testTheBuyerPays(): void
    {
        $paymentId = $this->pay();
        self::tollgate()->approve($paymentId);
        $payment = self::tollgate()->client->payments->waitForFinal(['paymentId' => $paymentId]);
        self::assertSame('SUCCESS', $payment->paymentStatus);
    }

    public function testTheBuyerRefuses(): void
    {
        $paymentId = $this->pay();
        self::tollgate()->decline($paymentId);
        $payment = self::tollgate()->client->payments->waitForFinal(['paymentId' => $paymentId]);
        self::assertSame('FAIL', $payment->paymentStatus);
        $this->expectExceptionMessage('The wallet does not approve payment none');
        self::tollgate()->approve('none');
    }

    public function testAskingAgainGivesTheSameOne(): void
    {
        $again = self::tollgate();
        self::assertSame($again, self::tollgate());
        $shared = StartedTollgate::start('false');
        $shared->stop();
        self::assertSame($again->baseUrl, $shared->baseUrl);
        self::assertNotSame('', $this->pay());
    }

    public function testACommandThatDoesNotStartIsAnsweredWithWhatToDo(): void
    {
        $shared = getenv('TOLLGATE_DEV');
        putenv('TOLLGATE_DEV');
        try {
            StartedTollgate::start('echo Never heard of >&2; exit 3;');
            self::fail('It started.');
        } catch (\RuntimeException $error) {
            self::assertMatchesRegularExpression(
                '/ended with 3 before it was ready.*TOLLGATE_COMMAND.*\nNever heard of$/s',
                $error->getMessage(),
            );
        } finally {
            putenv($shared === false ? 'TOLLGATE_DEV' : "TOLLGATE_DEV={$shared}");
        }
    }

    private function pay(): string
    {
        $price = Money::of('EUR', '12.50')->toAmount();
        return (string) self::tollgate()->client->payments->pay(new PayRequest(
            productCode: ProductCode::CASHIER_PAYMENT,
            paymentRequestId: Tollgate::newRequestId('test'),
            order: new Order(referenceOrderId: 'order-1', orderDescription: 'Two coffees', orderAmount: $price),
            paymentAmount: $price,
            paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
            paymentRedirectUrl: 'https://shop.example/thanks',
            env: new Env(terminalType: TerminalType::WEB),
        ))->paymentId;
    }
}

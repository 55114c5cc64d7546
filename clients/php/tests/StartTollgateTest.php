<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\ResultError;
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

/**
 * Tests with a complete gateway, as a shop would write them. `npm run test:clients -- packages` sets
 * TOLLGATE_COMMAND, which starts it.
 */
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

    public function testTheBuyerDeclines(): void
    {
        $paymentId = $this->pay();
        self::tollgate()->decline($paymentId);
        $payment = self::tollgate()->client->payments->waitForFinal(['paymentId' => $paymentId]);
        self::assertSame('FAIL', $payment->paymentStatus);
        $this->expectExceptionMessage('The sandbox provider could not approve payment none');
        self::tollgate()->approve('none');
    }

    public function testASecondStartReturnsTheSameGateway(): void
    {
        $again = self::tollgate();
        self::assertSame($again, self::tollgate());
        $shared = StartedTollgate::start('false');
        $shared->stop();
        self::assertSame($again->baseUrl, $shared->baseUrl);
        self::assertNotSame('', $this->pay());
    }

    /** @dataProvider waysToNameAGateway */
    public function testARunOnARunningGatewayHasItsOwnMerchant(bool $asJson): void
    {
        $gateway = $this->gateway();
        $named = $asJson
            ? ['TOLLGATE_DEV' => json_encode(['isOfThisRun' => false] + $gateway)]
            : ['TOLLGATE_BASE_URL' => $gateway['baseUrl'], 'TOLLGATE_CONTROL_SECRET' => $gateway['controlSecret']];
        $this->with($named, function (): void {
            $own = StartedTollgate::start('false');
            $again = StartedTollgate::start('false');
            self::assertSame($own->clientId, $again->clientId);
            self::assertNotSame(self::tollgate()->clientId, $own->clientId);
            self::assertSame('ORDER_NOT_EXIST', $this->codeOf($own));
            $again->stop();
            self::assertSame('ORDER_NOT_EXIST', $this->codeOf($own));
            $own->stop();
            self::assertSame('INVALID_CLIENT_STATUS', $this->codeOf($own));
            self::assertFileDoesNotExist($own->variables['TOLLGATE_PRIVATE_KEY_FILE']);
        });
        self::assertSame('ORDER_NOT_EXIST', $this->codeOf(self::tollgate()));
    }

    /** @return array<string, array{bool}> */
    public static function waysToNameAGateway(): array
    {
        return ['in a line of JSON' => [true], 'by the settings in .env' => [false]];
    }

    public function testAnUnreachableGatewayIsAnErrorAndAStoppedOneIsReplaced(): void
    {
        $gateway = $this->gateway();
        $nowhere = 'http://127.0.0.1:9';
        $dead = json_encode(['baseUrl' => $nowhere, 'isOfThisRun' => false] + $gateway, JSON_UNESCAPED_SLASHES);
        $guessed = ['TOLLGATE_CONTROL_SECRET' => 'guessed'];
        foreach ([
            [['TOLLGATE_DEV' => $dead], '/^TOLLGATE_DEV names .*:9, but no gateway listens there\.$/'],
            [['TOLLGATE_BASE_URL' => $gateway['baseUrl']] + $guessed, '/no isolated test merchant: .*control secret/'],
            [['TOLLGATE_BASE_URL' => $nowhere] + $guessed, '/^Tollgate ended with 3 before it was ready/'],
        ] as [$variables, $sentence]) {
            $this->with($variables, function () use ($sentence): void {
                try {
                    StartedTollgate::start('exit 3;');
                    self::fail('It started.');
                } catch (\RuntimeException $error) {
                    self::assertMatchesRegularExpression($sentence, $error->getMessage());
                }
            });
        }
    }

    /** @return array<string, mixed> */
    private function gateway(): array
    {
        self::tollgate();
        return json_decode((string) getenv('TOLLGATE_DEV'), true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * Runs without the gateway that the other tests share.
     *
     * @param array<string, string> $variables
     */
    private function with(array $variables, \Closure $try): void
    {
        $before = getenv('TOLLGATE_DEV');
        putenv('TOLLGATE_DEV');
        try {
            foreach ($variables as $name => $value) {
                putenv("{$name}={$value}");
            }
            $try();
        } finally {
            foreach (array_keys($variables) as $name) {
                putenv($name);
            }
            putenv("TOLLGATE_DEV={$before}");
        }
    }

    private function codeOf(StartedTollgate $tollgate): string
    {
        try {
            $tollgate->client->payments->inquiryPayment(['paymentId' => 'none']);
        } catch (ResultError $error) {
            return $error->resultCode;
        }
        return 'SUCCESS';
    }

    public function testACommandThatDoesNotStartIsReportedWithAFix(): void
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

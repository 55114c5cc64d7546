<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Clock;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ConnectionError;
use Tollgate\Http\Transport;
use Tollgate\Http\TransportRequest;
use Tollgate\Http\TransportResponse;
use Tollgate\Models\PaymentFactor;
use Tollgate\Models\PayRequest;
use Tollgate\Testing\Reply;
use Tollgate\Till\ByCodeOptions;
use Tollgate\Till\Cancelled;
use Tollgate\Till\OpenedEntryCode;
use Tollgate\Till\Paid;
use Tollgate\Till\ShownOrderCode;
use Tollgate\Till\Unknown;

/**
 * Tests of payments at a point of sale that are specific to this language. clients/conformance/by-code.json
 * tests the steps after each response in all languages.
 */
final class PayByCodeTest extends TestCase
{
    public function testTheDefaultPausesAreUsed(): void
    {
        $resets = array_fill(0, 6, Reply::reset());
        $shop = new Shop([self::pending(), ...array_fill(0, 9, self::status('PROCESSING')), ...$resets]);
        $result = $shop->client->payments->payByCode(self::scanned());
        self::assertInstanceOf(Unknown::class, $result);
        self::assertSame(
            [2_000, 3_000, 3_000, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000, 2_000, 3_000, 3_000, 5_000, 5_000],
            $shop->clock->slept,
        );
    }

    public function testAnUnknownResultHasTheIdAndTheCause(): void
    {
        $shop = new Shop(array_fill(0, 16, Reply::reset()));
        $result = $shop->client->payments->payByCode(self::scanned());
        self::assertInstanceOf(Unknown::class, $result);
        self::assertSame('order-1001-attempt-1', $result->paymentRequestId);
        self::assertInstanceOf(ConnectionError::class, $result->cause);
        self::assertStringContainsString('finishByCode', $result->advice);
    }

    public function testAnErrorInATransportKeepsTheId(): void
    {
        $broken = new class () implements Transport {
            public function send(TransportRequest $request): TransportResponse
            {
                throw new \TypeError('A bug.');
            }
        };
        $result = (new Shop([], ['transport' => $broken]))->client->payments->payByCode(self::scanned());
        self::assertInstanceOf(Unknown::class, $result);
        self::assertSame('A bug.', $result->cause?->getMessage());
    }

    public function testAStopDuringAPauseCancelsThePayment(): void
    {
        $clock = new class () implements Clock {
            /** @var list<int> */
            public array $slept = [];

            public function now(): int
            {
                return 1_767_225_600_000 + array_sum($this->slept);
            }

            public function sleep(int $ms): void
            {
                $this->slept[] = $ms;
            }
        };
        $shop = new Shop([self::pending(), self::cancel(), self::status('CANCELLED')], ['clock' => $clock]);
        $options = new ByCodeOptions(stop: static fn (): bool => $clock->slept !== []);
        self::assertInstanceOf(Cancelled::class, $shop->client->payments->payByCode(self::scanned(), $options));
        self::assertSame([250], $clock->slept);
        self::assertSame(['pay', 'cancel', 'inquiryPayment'], self::calls($shop));
    }

    public function testADisplayThatFailsDoesNotMakeAPaymentFail(): void
    {
        $heard = [];
        $dark = static function (string $state) use (&$heard): never {
            $heard[] = $state;
            throw new \RuntimeException('The display is dark.');
        };
        $shop = new Shop([Reply::reset(), self::status('SUCCESS')]);
        $result = $shop->client->payments->payByCode(self::scanned(), new ByCodeOptions(onState: $dark));
        self::assertInstanceOf(Paid::class, $result);
        self::assertSame(['asking', 'checking'], $heard);
    }

    /** @dataProvider wrongCalls */
    public function testARequestOfAnotherKindIsNotSent(\Closure $call): void
    {
        $shop = new Shop();
        try {
            $call($shop->client->payments);
            self::fail('It was sent.');
        } catch (ConfigurationError) {
            self::assertSame([], $shop->gateway->requests);
        }
    }

    /** @return iterable<string, array{\Closure}> */
    public static function wrongCalls(): iterable
    {
        $never = new ShownOrderCode('1', null, 'soon', 'text');
        yield 'payByCode, a code to show' => [static fn ($area) => $area->payByCode(self::scanned('OrderCode'))];
        yield 'showOrderCode, a page' => [static fn ($area) => $area->showOrderCode(self::scanned('EntryCode'))];
        yield 'openEntryCode, a scan' => [static fn ($area) => $area->openEntryCode(self::scanned())];
        yield 'online' => [static fn ($area) => $area->payByCode(Shop::twoCoffees())];
        yield 'no id' => [static fn ($area) => $area->payByCode(self::scanned()->with(paymentRequestId: ''))];
        yield 'a pause before now' => [
            static fn ($area) => $area->payByCode(self::scanned(), new ByCodeOptions(inquireAfterSeconds: [-1])),
        ];
        yield 'no time' => [static fn ($area) => $area->payByCode(self::scanned(), new ByCodeOptions(timeoutMs: 0))];
        yield 'finish nothing' => [static fn ($area) => $area->finishByCode('')];
        yield 'finish at no time' => [static fn ($area) => $area->finishByCode($never)];
    }

    public function testAnExpiredCodeIsCancelled(): void
    {
        $text = ['codeValueType' => 'QRCODE', 'displayType' => 'TEXT', 'codeValue' => 'https://wallet.example/1'];
        $shown = Reply::success([
            'paymentCreateTime' => '2020-01-01T00:00:00+00:00',
            'orderCodeForm' => [
                'expireTime' => '2020-01-01T00:00:20+00:00',
                'paymentMethodType' => 'GCASH',
                'codeDetails' => [$text],
            ],
        ]);
        $asked = array_fill(0, 6, self::status('PROCESSING'));
        $shop = new Shop([$shown, ...$asked, self::cancel(), self::status('CANCELLED')]);
        $code = $shop->client->payments->showOrderCode(self::scanned('OrderCode'));
        self::assertInstanceOf(ShownOrderCode::class, $code);
        self::assertSame('2026-01-01T00:00:20+00:00', $code->endsAt);
        self::assertSame('https://wallet.example/1', $code->codeText);
        self::assertInstanceOf(Cancelled::class, $shop->client->payments->finishByCode($code));
        self::assertSame([2_000, 3_000, 3_000, 5_000, 5_000, 2_000], $shop->clock->slept);
    }

    public function testACodeWithoutExpiryIsValidForThreeMinutes(): void
    {
        $form = ['method' => 'GET', 'redirectUrl' => 'https://wallet.example/p', 'actionFormType' => 'x'];
        $shop = new Shop([Reply::success(['redirectActionForm' => $form])]);
        $code = $shop->client->payments->openEntryCode(self::scanned('EntryCode'));
        self::assertInstanceOf(OpenedEntryCode::class, $code);
        self::assertSame('2026-01-01T00:03:00+00:00', $code->endsAt);
    }

    private static function scanned(string $scenario = 'PaymentCode'): PayRequest
    {
        return Shop::twoCoffees()->with(paymentFactor: new PaymentFactor(inStorePaymentScenario: $scenario));
    }

    private static function pending(): Reply
    {
        return Reply::result('PAYMENT_IN_PROCESS', 'U', ['paymentId' => 'p-1']);
    }

    private static function cancel(): Reply
    {
        return Reply::success(['paymentId' => 'p-1', 'cancelTime' => '2026-11-15T09:31:00+00:00']);
    }

    private static function status(string $status): Reply
    {
        return Reply::success(['paymentStatus' => $status]);
    }

    /** @return list<string> */
    private static function calls(Shop $shop): array
    {
        return array_map(static fn (TransportRequest $request): string => basename($request->url), $shop->gateway->requests);
    }
}

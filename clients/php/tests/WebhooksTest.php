<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use GuzzleHttp\Psr7\ServerRequest;
use PHPUnit\Framework\TestCase;
use Tollgate\Errors\MalformedResponseError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\PaymentNotification;
use Tollgate\Models\UnknownNotification;
use Tollgate\Webhooks\Notification;
use Tollgate\Webhooks\Webhooks;

final class WebhooksTest extends TestCase
{
    private const PATH = '/notify?shop=1';

    public function testAWebhookHasTheTypeOfItsKind(): void
    {
        $told = self::told(new Shop(), Mail::paid('2026', 4));
        self::assertSame('notifyPayment', $told->kind);
        self::assertInstanceOf(PaymentNotification::class, $told->body);
        self::assertSame('order-1001-attempt-1', $told->body->paymentRequestId);
        self::assertSame(['notifyPayment 2026', 4], [$told->subject, $told->sequence]);
    }

    public function testAReceiverNeedsNoPrivateKey(): void
    {
        $shop = new Shop();
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        $receiving = static fn (string $key): Webhooks => Webhooks::of(
            clientId: Shop::CLIENT_ID,
            gatewayPublicKeys: [1 => $key],
            clock: $shop->clock,
        );
        $told = $receiving(Shop::gatewayKeys()->publicKey)->construct(self::PATH, $headers, $body);
        self::assertSame('notifyPayment 2026', $told->subject);
        try {
            $receiving(Shop::merchantKeys()->publicKey)->construct(self::PATH, $headers, $body);
            self::fail('It was taken.');
        } catch (SignatureVerificationError $error) {
            self::assertSame('MISMATCH', $error->reason);
        }
        $this->expectExceptionMessage('There is no gatewayPublicKeys');
        Webhooks::of(clientId: Shop::CLIENT_ID);
    }

    public function testHeadersMayBeListsAndInAnyCase(): void
    {
        $shop = new Shop();
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        $asFrameworksHaveThem = array_map(static fn (string $value): array => [$value], array_change_key_case($headers, CASE_UPPER));
        self::assertSame('2026', $shop->client->webhooks->construct(self::PATH, $asFrameworksHaveThem, $body)->body->paymentId);
    }

    public function testAnUnknownKindIsKept(): void
    {
        $told = self::told(new Shop(), '{"notifyType":"SOMETHING_NEW","thing":{"a":[]}}');
        self::assertSame('unknown', $told->kind);
        self::assertInstanceOf(UnknownNotification::class, $told->body);
        self::assertSame('{"notifyType":"SOMETHING_NEW","thing":{"a":[]}}', json_encode($told->body));
        self::assertSame('unknown ' . hash('sha256', '{"notifyType":"SOMETHING_NEW","thing":{"a":[]}}'), $told->subject);
        self::assertSame(0, $told->sequence);
    }

    /** @dataProvider forgeries */
    public function testWebhooksWithInvalidSignaturesAreRejected(string $reason, \Closure $forge): void
    {
        $shop = new Shop();
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        try {
            $forge($shop, $headers, $body);
            self::fail('It was taken.');
        } catch (SignatureVerificationError $error) {
            self::assertSame($reason, $error->reason);
        }
    }

    /** @return array<string, array{string, \Closure(Shop, array<string, string>, string): mixed}> */
    public static function forgeries(): array
    {
        return [
            'another amount' => ['MISMATCH', fn ($shop, $headers, $body) => $shop->client->webhooks
                ->construct(self::PATH, $headers, str_replace('1250', '9250', $body))],
            'another path' => ['MISMATCH', fn ($shop, $headers, $body) => $shop->client->webhooks
                ->construct('/notify', $headers, $body)],
            'no signature' => ['MISSING_SIGNATURE', fn ($shop, $headers, $body) => $shop->client->webhooks
                ->construct(self::PATH, [], $body)],
            'the body that a framework has parsed' => ['BODY_ALREADY_PARSED', fn ($shop, $headers, $body) => $shop->client
                ->webhooks->construct(self::PATH, $headers, json_decode($body, true))],
            'one of yesterday' => ['STALE', function (Shop $shop, array $headers, string $body): void {
                $shop->clock->advance(86_400_000);
                $shop->client->webhooks->construct(self::PATH, $headers, $body);
            }],
        ];
    }

    public function testAToleranceOfZeroAcceptsAnyAge(): void
    {
        $shop = new Shop(options: ['webhookToleranceSeconds' => 0]);
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        $shop->clock->advance(86_400_000);
        self::assertSame(4, $shop->client->webhooks->construct(self::PATH, $headers, $body)->sequence);
    }

    public function testASignedInvalidBodyIsMalformed(): void
    {
        $this->expectException(MalformedResponseError::class);
        self::told(new Shop(), '[]');
    }

    public function testAPsr7RequestIsAccepted(): void
    {
        if (!class_exists(ServerRequest::class)) {
            self::markTestSkipped('guzzlehttp/psr7 is not installed.');
        }
        $shop = new Shop();
        $body = Mail::paid('2026', 4);
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        $request = new ServerRequest('POST', 'https://shop.example' . self::PATH, $headers, $body);
        self::assertSame('2026', $shop->client->webhooks->constructFromPsr7($request)->body->paymentId);
    }

    public function testTheAcknowledgementIsExact(): void
    {
        $expected = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';
        self::assertSame($expected, (new Shop())->client->webhooks->ack());
    }

    private static function told(Shop $shop, string $body): Notification
    {
        $headers = $shop->client->webhooks->sign(self::PATH, $body, Shop::gatewayKeys()->privateKey);
        return $shop->client->webhooks->construct(self::PATH, $headers, $body);
    }
}

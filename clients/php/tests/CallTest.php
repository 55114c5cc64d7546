<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\CallOptions;
use Tollgate\Errors\ConfigurationError;
use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\DeclinedError;
use Tollgate\Errors\GatewayError;
use Tollgate\Errors\HttpStatusError;
use Tollgate\Errors\MalformedResponseError;
use Tollgate\Errors\RateLimitError;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\PayResponse;
use Tollgate\Testing\FakeGateway;
use Tollgate\Testing\Reply;
use Tollgate\Testing\TestKeys;
use Tollgate\Tollgate;

final class CallTest extends TestCase
{
    public function testAResponseHasTheTypeOfItsOperation(): void
    {
        $shop = new Shop([Reply::success(['paymentId' => '2026', 'normalUrl' => 'https://pay.example/2026'])]);
        $answer = $shop->client->payments->pay(Shop::twoCoffees());
        self::assertInstanceOf(PayResponse::class, $answer);
        self::assertTrue($answer->isSuccess());
        self::assertSame('https://pay.example/2026', $answer->normalUrl);
        self::assertSame(1, $answer->attempts());
    }

    public function testRequestsAreSignedByTheMerchant(): void
    {
        $shop = new Shop([Reply::success()]);
        $shop->client->payments->pay(Shop::twoCoffees());
        $sent = FakeGateway::verifyRequest($shop->gateway->requests[0], Shop::merchantKeys()->publicKey);
        self::assertSame('order-1001-attempt-1', $sent['paymentRequestId']);
        self::assertSame('https://gateway.example/ams/api/v1/payments/pay', $shop->gateway->requests[0]->url);
        $this->expectExceptionMessage('The signature does not match.');
        FakeGateway::verifyRequest($shop->gateway->requests[0], Shop::gatewayKeys()->publicKey);
    }

    public function testTheClientIdSelectsTheSandbox(): void
    {
        $shop = new Shop([Reply::success()], ['clientId' => 'SANDBOX_5Y']);
        $shop->client->payments->pay(Shop::twoCoffees());
        self::assertStringContainsString('/ams/sandbox/api/v1/payments/pay', $shop->gateway->requests[0]->url);
    }

    public function testAnArrayCanReplaceAModel(): void
    {
        $shop = new Shop([Reply::success(), Reply::success()]);
        $shop->client->payments->pay(Shop::twoCoffees());
        $shop->client->payments->pay(Shop::twoCoffees()->toArray());
        self::assertSame($shop->gateway->requests[0]->body, $shop->gateway->requests[1]->body);
    }

    public function testARequestWithoutFieldsIsAnEmptyObject(): void
    {
        $shop = new Shop([Reply::success()]);
        $shop->client->tollgate->inquiryOpenRecords([]);
        self::assertSame('{}', $shop->gateway->requests[0]->body);
    }

    public function testARejectionIsThrownWithFactsAndAdvice(): void
    {
        $reply = Reply::result('USER_BALANCE_NOT_ENOUGH', 'F');
        $shop = new Shop([new Reply($reply->body, headers: ['request-id' => 'trace-7'])]);
        try {
            $shop->client->payments->pay(Shop::twoCoffees());
            self::fail('It was not refused.');
        } catch (DeclinedError $error) {
            self::assertSame('USER_BALANCE_NOT_ENOUGH', $error->resultCode);
            self::assertSame('payments/pay', $error->operation);
            self::assertSame('order-1001-attempt-1', $error->requestId);
            self::assertSame('trace-7', $error->traceId);
            self::assertEquals(json_decode(json_encode($reply->body)), $error->raw);
            self::assertNotSame('', $error->advice);
            self::assertStringEndsWith($error->advice, $error->getMessage());
        }
    }

    public function testARejectionIsReturnedIfConfigured(): void
    {
        $shop = new Shop([Reply::result('USER_BALANCE_NOT_ENOUGH', 'F')]);
        $answer = $shop->client->payments->pay(Shop::twoCoffees(), new CallOptions(throwOnFailure: false));
        self::assertTrue($answer->isFailure());
    }

    public function testAnUnknownOutcomeIsReturnedAndNotRetried(): void
    {
        $shop = new Shop([Reply::result('PAYMENT_IN_PROCESS', 'U')]);
        self::assertTrue($shop->client->payments->pay(Shop::twoCoffees())->isPending());
        self::assertCount(1, $shop->gateway->requests);
    }

    public function testALostResponseIsRetriedWithTheSameBodyAndANewTime(): void
    {
        $shop = new Shop([Reply::reset(), new Reply(status: 503), Reply::success()]);
        self::assertSame(3, $shop->client->payments->pay(Shop::twoCoffees())->attempts());
        [$first, $second, $third] = $shop->gateway->requests;
        self::assertSame([$first->body, $first->body], [$second->body, $third->body]);
        $times = array_map(static fn ($request) => $request->headers['request-time'], $shop->gateway->requests);
        $signatures = array_map(static fn ($request) => $request->headers['signature'], $shop->gateway->requests);
        self::assertCount(3, array_unique($times));
        self::assertCount(3, array_unique($signatures));
        self::assertCount(2, $shop->clock->slept);
        self::assertLessThanOrEqual(500, $shop->clock->slept[0]);
        self::assertLessThanOrEqual(1000, $shop->clock->slept[1]);
        self::assertGreaterThanOrEqual(50, min($shop->clock->slept));
    }

    public function testRetriesEndWithTheLastError(): void
    {
        $shop = new Shop([Reply::reset(), Reply::reset(), Reply::reset()]);
        $error = self::thrown(ConnectionError::class, fn () => $shop->client->payments->pay(Shop::twoCoffees()));
        self::assertSame(3, $error->attempts);
    }

    public function testANonRepeatableRequestIsSentOnce(): void
    {
        $shop = new Shop([Reply::reset()]);
        self::thrown(ConnectionError::class, fn () => $shop->client->tollgate->changeEndpoints([]));
        self::assertFalse($shop->gateway->requests[0]->isRepeatable);
    }

    public function testRetryAfterIsRespected(): void
    {
        $shop = new Shop([new Reply(status: 429, headers: ['retry-after' => '7']), Reply::success()]);
        $shop->client->payments->pay(Shop::twoCoffees());
        self::assertSame([7_000], $shop->clock->slept);
    }

    public function testRetryAfterMayBeADate(): void
    {
        $shop = new Shop([new Reply(status: 503, headers: ['retry-after' => 'Thu, 01 Jan 2026 00:00:09 GMT']), Reply::success()]);
        $shop->client->payments->pay(Shop::twoCoffees());
        self::assertSame([9_000], $shop->clock->slept);
    }

    public function testRetryAfterAboveAMinuteEndsTheRetries(): void
    {
        $shop = new Shop([new Reply(status: 429, headers: ['retry-after' => '61'])]);
        self::thrown(HttpStatusError::class, fn () => $shop->client->payments->pay(Shop::twoCoffees()));
    }

    public function testARateLimitIsAnError(): void
    {
        $shop = new Shop([Reply::result('REQUEST_TRAFFIC_EXCEED_LIMIT', 'U')], ['maxRetries' => 0]);
        self::thrown(RateLimitError::class, fn () => $shop->client->payments->pay(Shop::twoCoffees()));
    }

    public function testAResponseWithAnotherKeyIsRejectedAndNotRetried(): void
    {
        $stranger = new FakeGateway([Reply::success()], TestKeys::make()->privateKey);
        $shop = new Shop(options: ['transport' => $stranger]);
        $pay = fn () => $shop->client->payments->pay(Shop::twoCoffees());
        $error = self::thrown(SignatureVerificationError::class, $pay);
        self::assertSame(SignatureVerificationError::MISMATCH, $error->reason);
        self::assertStringContainsString('public key of the gateway', $error->getMessage());
        self::assertCount(1, $stranger->requests);
    }

    public function testAResponseWithAFieldOfAWrongTypeIsMalformed(): void
    {
        $shop = new Shop([Reply::success(['paymentAmount' => ['currency' => 'EUR']]), Reply::success(['paymentId' => 7])]);
        foreach (['Amount', 'PayResponse'] as $place) {
            $pay = fn () => $shop->client->payments->pay(Shop::twoCoffees());
            $error = self::thrown(MalformedResponseError::class, $pay);
            self::assertStringContainsString($place, $error->getMessage());
            self::assertSame('order-1001-attempt-1', $error->requestId);
        }
    }

    public function testTextThatIsNotUtf8IsRefusedBeforeAnythingIsSent(): void
    {
        $shop = new Shop();
        $pay = fn () => $shop->client->payments->pay(Shop::twoCoffees("caf\xe9"));
        self::assertStringContainsString('UTF-8', self::thrown(ConfigurationError::class, $pay)->getMessage());
        self::assertSame([], $shop->gateway->requests);
    }

    public function testAnyOperationCanBeCalledByItsPath(): void
    {
        $shop = new Shop([Reply::success(['greeting' => 'hello'])]);
        $answer = $shop->client->request('tollgate/sayHello', ['to' => 'you']);
        self::assertSame(['greeting' => 'hello'], $answer->extra);
        self::thrown(ConfigurationError::class, fn () => $shop->client->request('../elsewhere', []));
    }

    public function testNewIdsAreUnique(): void
    {
        self::assertMatchesRegularExpression('/^order-7-[0-9a-f]{32}$/', Tollgate::newRequestId('order-7'));
        self::assertNotSame(Tollgate::newRequestId(), Tollgate::newRequestId());
    }

    /**
     * @template Error of GatewayError
     * @param class-string<Error> $class
     * @return Error
     */
    private static function thrown(string $class, \Closure $call): GatewayError
    {
        try {
            $call();
        } catch (GatewayError $error) {
            self::assertInstanceOf($class, $error);
            return $error;
        }
        self::fail("There was no {$class}.");
    }
}

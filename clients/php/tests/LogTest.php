<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;
use Tollgate\LogEntry;
use Tollgate\Models\PaymentMethod;
use Tollgate\Testing\Reply;

final class LogTest extends TestCase
{
    public function testEveryStepIsLogged(): void
    {
        $entries = [];
        $logger = function (LogEntry $entry) use (&$entries): void {
            $entries[] = $entry;
        };
        $shop = new Shop([Reply::reset(), Reply::success()], ['logger' => $logger]);
        $shop->client->payments->pay(Shop::twoCoffees());
        self::assertSame(['request', 'response', 'retry', 'response'], array_column($entries, 'event'));
        self::assertSame([null, 'ConnectionError', 'ConnectionError', 'SUCCESS'], array_column_all($entries, 'outcome'));
        self::assertSame(['order-1001-attempt-1'], array_unique(array_column($entries, 'requestId')));
    }

    public function testSecretsAreMasked(): void
    {
        $told = '';
        $logger = function (LogEntry $entry) use (&$told): void {
            $told .= json_encode($entry->context()) . $entry->sentence();
        };
        $method = new PaymentMethod(paymentMethodType: 'CONNECT_WALLET', paymentMethodId: '281000020000111122223333');
        $shop = new Shop([Reply::success(), Reply::success()], ['logger' => $logger]);
        $shop->client->payments->pay(Shop::twoCoffees()->with(paymentMethod: $method));
        $shop->client->request('authorizations/revoke', ['accessToken' => 'a-token', 'card' => ['cvv' => '123']]);
        self::assertStringContainsString('CONNECT_WALLET', $told);
        self::assertStringContainsString('[hidden]', $told);
        foreach (['281000020000111122223333', 'a-token', '"123"'] as $secret) {
            self::assertStringNotContainsString($secret, $told);
        }
    }

    public function testALoggerThatFailsDoesNotMakeAPaymentFail(): void
    {
        $shop = new Shop([Reply::success()], ['logger' => fn () => throw new \LogicException('The disk is full.')]);
        self::assertTrue($shop->client->payments->pay(Shop::twoCoffees())->isSuccess());
    }

    public function testAPsr3LoggerIsAccepted(): void
    {
        if (!class_exists(AbstractLogger::class)) {
            self::markTestSkipped('psr/log is not installed.');
        }
        $logger = new class () extends AbstractLogger {
            public array $lines = [];

            public function log($level, $message, array $context = []): void
            {
                $this->lines[] = "{$level} {$message}";
            }
        };
        $shop = new Shop([Reply::success()], ['logger' => $logger]);
        $shop->client->payments->pay(Shop::twoCoffees());
        self::assertSame('debug payments/pay order-1001-attempt-1: sent', $logger->lines[0]);
        self::assertSame('debug payments/pay order-1001-attempt-1: SUCCESS after 0 ms', $logger->lines[1]);
    }
}

/** Returns one field of all entries, like `array_column`, but keeps null values. */
function array_column_all(array $entries, string $name): array
{
    return array_map(static fn (LogEntry $entry): mixed => $entry->{$name}, $entries);
}

<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use PHPUnit\Framework\TestCase;
use Tollgate\Errors\InvalidRequestError;
use Tollgate\Models\PaymentNotification;
use Tollgate\Models\SentNotification;
use Tollgate\Testing\Reply;
use Tollgate\Webhooks\ApplyOnce;
use Tollgate\Webhooks\Event;

final class FeedTest extends TestCase
{
    public function testItIsReadPageByPageFromTheCursor(): void
    {
        $shop = new Shop([self::page([8, 9], '9', true), self::page([10], '10')]);
        $events = iterator_to_array($shop->client->tollgate->events(from: '7', pageSize: 2), false);
        self::assertSame(['{"cursor":"7","limit":2}', '{"cursor":"9","limit":2}'], self::asked($shop));
        $news = array_map(static fn (Event $event): array => [$event->cursor, $event->subject, $event->sequence], $events);
        self::assertSame([['8', 'notifyPayment p-8', 4], ['9', 'notifyPayment p-9', 4], ['10', 'notifyPayment p-10', 4]], $news);
        self::assertInstanceOf(PaymentNotification::class, $events[0]->body);
        self::assertSame('n-8', $events[0]->notificationId);
    }

    public function testAnEventIsAppliedOnce(): void
    {
        $shop = new Shop([self::page([1], '1'), self::page([1], '1')]);
        $database = new \PDO('sqlite::memory:');
        $database->exec(ApplyOnce::CREATE_TABLE['sqlite']);
        $database->beginTransaction();
        $outcomes = [];
        foreach ([1, 2] as $time) {
            foreach ($shop->client->tollgate->events() as $event) {
                $outcomes[] = $event->applyOnce($database, static fn () => null);
            }
        }
        self::assertSame([ApplyOnce::APPLIED, ApplyOnce::OLD_NEWS], $outcomes);
    }

    public function testARejectionEndsTheLoop(): void
    {
        $shop = new Shop([Reply::result('PARAM_ILLEGAL', 'F')]);
        $this->expectException(InvalidRequestError::class);
        iterator_to_array($shop->client->tollgate->events(follow: true), false);
    }

    public function testFollowingPollsWithBackoff(): void
    {
        $faults = array_fill(0, 2, Reply::reset());
        $shop = new Shop([self::page([1], '1'), self::page([], '1'), ...$faults, self::page([2], '2')], ['maxRetries' => 0]);
        $heard = [];
        $stop = static function () use (&$heard): bool {
            return in_array('2', $heard, true);
        };
        foreach ($shop->client->tollgate->events(follow: true, stop: $stop) as $event) {
            $heard[] = $event->cursor;
        }
        self::assertSame(['1', '2'], $heard);
        self::assertSame([1_000, 1_000, 2_000, 4_000], array_slice($shop->clock->slept, 0, 4));
    }

    public function testWebhooksAreListedPageByPage(): void
    {
        $sent = static fn (string $id): array => [
            'notificationId' => $id,
            'notificationKind' => 'notifyPayment',
            'notificationStatus' => 'DELIVERED',
            'subjectId' => 'p-1',
            'sequence' => 4,
            'createdTime' => '2026-11-15T09:30:04+00:00',
            'attempts' => [],
        ];
        $shop = new Shop([
            Reply::success(['notifications' => [$sent('n-1'), $sent('n-2')], 'hasMore' => true]),
            Reply::success(['notifications' => [$sent('n-3')], 'hasMore' => false]),
        ]);
        $found = iterator_to_array($shop->client->tollgate->notifications(['subjectId' => 'p-1']), false);
        self::assertSame(['n-1', 'n-2', 'n-3'], array_map(static fn (SentNotification $each) => $each->notificationId, $found));
        self::assertSame(['{"subjectId":"p-1"}', '{"subjectId":"p-1","after":"n-2"}'], self::asked($shop));
    }

    /** @return list<string> */
    private static function asked(Shop $shop): array
    {
        return array_map(static fn ($request): string => $request->body, $shop->gateway->requests);
    }

    /** @param list<int> $numbers */
    private static function page(array $numbers, string $nextCursor, bool $hasMore = false): Reply
    {
        $events = array_map(static fn (int $number): array => [
            'cursor' => (string) $number,
            'notificationId' => "n-{$number}",
            'kind' => 'notifyPayment',
            'subjectId' => "p-{$number}",
            'sequence' => 4,
            'createdTime' => '2026-11-15T09:30:04+00:00',
            'body' => Mail::paid("p-{$number}", 4),
        ], $numbers);
        return Reply::success(['events' => $events, 'nextCursor' => $nextCursor, 'hasMore' => $hasMore]);
    }
}

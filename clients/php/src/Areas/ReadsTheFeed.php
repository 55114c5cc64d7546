<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Models\InquiryEventsRequest;
use Tollgate\Models\InquiryEventsResponse;
use Tollgate\Models\InquiryNotificationsRequest;
use Tollgate\Models\SentNotification;
use Tollgate\Webhooks\Event;

/** What `tollgate` has beside its operations: the feed and its lists, page after page. */
trait ReadsTheFeed
{
    /**
     * Everything that you are told by notification, in order, typed like a notification and with `applyOnce` as well.
     * Keep the `cursor` of each in the transaction in which you apply it, and go on from there.
     *
     * @param string|null $from the cursor of the last event that you have applied; null is the beginning, `latest` the end
     * @param int|null $pageSize how many are asked for at once; 100 unless said otherwise
     * @param bool $follow at the end, ask again every second; faults that pass end nothing
     * @param \Closure(): bool|null $stop ends a loop that follows when it says so
     * @return \Generator<int, Event>
     * @throws GatewayError when there is no answer that can be trusted
     */
    public function events(
        ?string $from = null,
        ?int $pageSize = null,
        bool $follow = false,
        ?\Closure $stop = null,
    ): \Generator {
        $cursor = $from;
        for ($pauseMs = 1_000; $stop === null || !$stop();) {
            $page = $this->pageBehind($cursor, $pageSize, $follow);
            foreach ($page?->events ?? [] as $entry) {
                yield new Event($entry);
            }
            $cursor = $page?->nextCursor ?? $cursor;
            if ($page?->hasMore === true) {
                continue;
            }
            if (!$follow) {
                return;
            }
            $pauseMs = $page === null ? min($pauseMs * 2, 30_000) : 1_000;
            $this->caller->clock()->sleep($pauseMs);
        }
    }

    /**
     * All notifications that the request asks for, the oldest first, page after page.
     *
     * @param InquiryNotificationsRequest|array<string, mixed> $request
     * @return \Generator<int, SentNotification>
     * @throws GatewayError when there is no answer that can be trusted
     */
    public function notifications(InquiryNotificationsRequest|array $request = []): \Generator
    {
        $fields = $request instanceof InquiryNotificationsRequest ? (array) $request->jsonSerialize() : $request;
        do {
            $page = $this->inquiryNotifications($fields);
            $found = $page->notifications ?? [];
            foreach ($found as $each) {
                yield $each;
            }
            $last = end($found);
            if ($last === false) {
                return;
            }
            $fields['after'] = $last->notificationId;
        } while ($page->hasMore === true);
    }

    /** Null for a fault that passes, when somebody follows: it goes on behind the last event. */
    private function pageBehind(?string $cursor, ?int $pageSize, bool $follow): ?InquiryEventsResponse
    {
        try {
            return $this->inquiryEvents(new InquiryEventsRequest(cursor: $cursor, limit: $pageSize));
        } catch (GatewayError $error) {
            if (!$follow || !$error->isPassing()) {
                throw $error;
            }
            $where = $cursor ?? 'its beginning';
            $this->caller->warn("The feed broke off, and goes on behind {$where}: {$error->getMessage()}");
            return null;
        }
    }
}

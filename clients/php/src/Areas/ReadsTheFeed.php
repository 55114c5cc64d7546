<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Models\InquiryEventsRequest;
use Tollgate\Models\InquiryEventsResponse;
use Tollgate\Models\InquiryNotificationsRequest;
use Tollgate\Models\SentNotification;
use Tollgate\Webhooks\Event;

/** Methods of `tollgate` in addition to its operations: the feed and other lists, page by page. */
trait ReadsTheFeed
{
    /**
     * Iterates over all webhooks in order. An event is typed like a webhook and usable with `applyOnce`.
     * Store the `cursor` of each event in the transaction in which you apply the event, and continue from it.
     *
     * @param string|null $from the cursor of the last event that you have applied; null starts at the
     *     beginning, `latest` at the end
     * @param int|null $pageSize the number of events per request (default 100)
     * @param bool $follow at the end, polls every second; continues after temporary faults
     * @param \Closure(): bool|null $stop ends a following loop when it returns true
     * @return \Generator<int, Event>
     * @throws GatewayError when there is no valid response
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
     * Iterates over all webhooks that the request selects, oldest first, page by page.
     *
     * @param InquiryNotificationsRequest|array<string, mixed> $request
     * @return \Generator<int, SentNotification>
     * @throws GatewayError when there is no valid response
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

    /**
     * Returns the page after a cursor. Returns null after a temporary fault in a following loop, which then
     * continues after the last event.
     */
    private function pageBehind(?string $cursor, ?int $pageSize, bool $follow): ?InquiryEventsResponse
    {
        try {
            return $this->inquiryEvents(new InquiryEventsRequest(cursor: $cursor, limit: $pageSize));
        } catch (GatewayError $error) {
            if (!$follow || !$error->isPassing()) {
                throw $error;
            }
            $where = $cursor ?? 'its beginning';
            $this->caller->warn("Reading the feed failed; it continues after {$where}: {$error->getMessage()}");
            return null;
        }
    }
}

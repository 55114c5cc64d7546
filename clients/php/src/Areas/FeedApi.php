<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Models\InquiryNotificationsRequest;
use Tollgate\Models\SentNotification;
use Tollgate\Webhooks\Event;

/** What `ReadsTheFeed` does. Your tests can double it. Do not implement it: a minor version may add methods. */
interface FeedApi
{
    /**
     * Everything that you are told by notification, in order.
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
    ): \Generator;

    /**
     * All notifications that the request asks for, the oldest first, page after page.
     *
     * @param InquiryNotificationsRequest|array<string, mixed> $request
     * @return \Generator<int, SentNotification>
     * @throws GatewayError when there is no answer that can be trusted
     */
    public function notifications(InquiryNotificationsRequest|array $request = []): \Generator;
}

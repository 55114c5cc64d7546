<?php

declare(strict_types=1);

namespace Tollgate\Areas;

use Tollgate\Errors\GatewayError;
use Tollgate\Models\InquiryNotificationsRequest;
use Tollgate\Models\SentNotification;
use Tollgate\Webhooks\Event;

/**
 * The methods of `ReadsTheFeed`. Only test doubles may implement this interface, because a minor version may
 * add methods.
 */
interface FeedApi
{
    /**
     * Iterates over all webhooks in order.
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
    ): \Generator;

    /**
     * Iterates over all webhooks that the request selects, oldest first, page by page.
     *
     * @param InquiryNotificationsRequest|array<string, mixed> $request
     * @return \Generator<int, SentNotification>
     * @throws GatewayError when there is no valid response
     */
    public function notifications(InquiryNotificationsRequest|array $request = []): \Generator;
}

<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Models\FeedEvent;

/**
 * An entry of the feed: what was or will be told by notification, typed like one. Its subject is that of the
 * notification, so whichever of the two comes second is old news to `applyOnce`.
 */
final class Event extends Told
{
    /** Its place in the feed. Keep it in the transaction in which you apply the event, and go on from there. */
    public readonly string $cursor;
    /** The gateway's name for the notification. */
    public readonly string $notificationId;
    /** When it happened. */
    public readonly string $createdTime;

    /** @internal */
    public function __construct(FeedEvent $entry)
    {
        parent::__construct($entry->body);
        $this->cursor = $entry->cursor;
        $this->notificationId = $entry->notificationId;
        $this->createdTime = $entry->createdTime;
    }
}

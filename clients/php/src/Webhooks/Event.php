<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Models\FeedEvent;

/**
 * An event of the feed: the content of a webhook, typed like one. Its subject is the same as that of the
 * webhook, so `applyOnce` skips whichever of the two arrives second.
 */
final class Event extends Told
{
    /**
     * The position of the event in the feed. Store it in the transaction in which you apply the event, and
     * continue from it.
     */
    public readonly string $cursor;
    /** The gateway's id of the webhook. */
    public readonly string $notificationId;
    /** The creation time. */
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

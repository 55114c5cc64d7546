<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Signing\Verified;

/** A webhook with a valid signature. The class of `body` shows its kind. */
final class Notification extends Told
{
    /**
     * A key that two messages share only if exactly the same message arrives again (replay). Each delivery
     * attempt of the gateway has a new key.
     */
    public readonly string $replayKey;
    /** The text of the message's time header. */
    public readonly string $time;

    /** @internal */
    public function __construct(string $raw, Verified $verified)
    {
        parent::__construct($raw);
        $this->replayKey = $verified->replayKey;
        $this->time = $verified->time;
    }
}

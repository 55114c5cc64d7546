<?php

declare(strict_types=1);

namespace Tollgate\Webhooks;

use Tollgate\Signing\Verified;

/** A notification whose signature holds. The class of `body` says what it tells of. */
final class Notification extends Told
{
    /** The same only if the very same message comes again. Every attempt of the gateway has a new one. */
    public readonly string $replayKey;
    /** The text of its time header. */
    public readonly string $time;

    /** @internal */
    public function __construct(string $raw, Verified $verified)
    {
        parent::__construct($raw);
        $this->replayKey = $verified->replayKey;
        $this->time = $verified->time;
    }
}

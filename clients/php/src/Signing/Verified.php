<?php

declare(strict_types=1);

namespace Tollgate\Signing;

/** @internal */
final class Verified
{
    public function __construct(
        /** The signature in base64: unique for each message. */
        public readonly string $replayKey,
        /** The text of the message's time header. */
        public readonly string $time,
    ) {
    }
}

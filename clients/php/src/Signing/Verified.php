<?php

declare(strict_types=1);

namespace Tollgate\Signing;

/** @internal */
final class Verified
{
    public function __construct(
        /** The signature in base64: no two messages have the same one. */
        public readonly string $replayKey,
        /** The text of its time header. */
        public readonly string $time,
    ) {
    }
}

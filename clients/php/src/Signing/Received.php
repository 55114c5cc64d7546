<?php

declare(strict_types=1);

namespace Tollgate\Signing;

use Tollgate\Http\Headers;

/**
 * A message that came from the gateway: an answer or a notification.
 *
 * @internal
 */
final class Received
{
    public function __construct(
        public readonly string $method,
        /** Of the request that is answered, or of your own endpoint, with its query. */
        public readonly string $path,
        /** Yours. */
        public readonly string $clientId,
        public readonly Headers $headers,
        public readonly string $body,
        /** `response-time` or `request-time`. */
        public readonly string $timeHeader,
    ) {
    }
}

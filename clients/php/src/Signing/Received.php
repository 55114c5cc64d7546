<?php

declare(strict_types=1);

namespace Tollgate\Signing;

use Tollgate\Http\Headers;

/**
 * A message from the gateway: a response or a webhook.
 *
 * @internal
 */
final class Received
{
    public function __construct(
        public readonly string $method,
        /** The path of the request, or of your webhook endpoint, with its query. */
        public readonly string $path,
        /** Your client id. */
        public readonly string $clientId,
        public readonly Headers $headers,
        public readonly string $body,
        /** `response-time` or `request-time`. */
        public readonly string $timeHeader,
    ) {
    }
}

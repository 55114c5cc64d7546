<?php

declare(strict_types=1);

namespace Tollgate\Http;

use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\TimeoutError;

/** Sends a request once. Does not follow redirects, does not retry, and does not change the request. */
interface Transport
{
    /**
     * @throws TimeoutError when no response arrived in time
     * @throws ConnectionError when there is no complete response
     */
    public function send(TransportRequest $request): TransportResponse;
}

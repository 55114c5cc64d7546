<?php

declare(strict_types=1);

namespace Tollgate\Http;

use Tollgate\Errors\ConnectionError;
use Tollgate\Errors\TimeoutError;

/** Sends a request once. Follows no redirect, repeats nothing, changes nothing. */
interface Transport
{
    /**
     * @throws TimeoutError when there was no answer in time
     * @throws ConnectionError when there is no answer, or not all of it
     */
    public function send(TransportRequest $request): TransportResponse;
}

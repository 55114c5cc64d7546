<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Areas\AreasApi;
use Tollgate\Errors\GatewayError;
use Tollgate\Models\AnyAnswer;
use Tollgate\Models\Model;
use Tollgate\Webhooks\Webhooks;

/**
 * What a client can do, for code that is to be tested without one: `$gateway->payments()->pay(…)`. `Tollgate` is the client that does it.
 *
 * Your tests can double it. Do not implement it: a minor version may add methods.
 */
interface TollgateApi extends AreasApi
{
    /** Verifies and reads what you are told. It needs no network, so that there is nothing in it to double. */
    public function webhooks(): Webhooks;

    /**
     * Calls any operation by its path, such as `payments/pay`.
     *
     * @param Model|array<string, mixed> $request
     * @throws GatewayError
     */
    public function request(string $operation, Model|array $request, ?CallOptions $options = null): AnyAnswer;
}

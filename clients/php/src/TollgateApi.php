<?php

declare(strict_types=1);

namespace Tollgate;

use Tollgate\Areas\AreasApi;
use Tollgate\Errors\GatewayError;
use Tollgate\Models\AnyAnswer;
use Tollgate\Models\Model;
use Tollgate\Webhooks\Webhooks;

/**
 * The methods of a client, for code that is tested without one: `$gateway->payments()->pay(…)`. `Tollgate`
 * implements it.
 *
 * Tests can replace it by a test double. Do not implement this interface in other code: a minor version may
 * add methods.
 */
interface TollgateApi extends AreasApi
{
    /** Verifies and parses webhooks. It uses no network, so tests need no double of it. */
    public function webhooks(): Webhooks;

    /**
     * Calls any operation by its path, such as `payments/pay`.
     *
     * @param Model|array<string, mixed> $request
     * @throws GatewayError
     */
    public function request(string $operation, Model|array $request, ?CallOptions $options = null): AnyAnswer;
}

<?php

declare(strict_types=1);

namespace Tollgate\Tests;

use Tollgate\Models\Order;
use Tollgate\Models\PaymentMethod;
use Tollgate\Models\PayRequest;
use Tollgate\Models\ProductCode;
use Tollgate\Money;
use Tollgate\Testing\FakeClock;
use Tollgate\Testing\FakeGateway;
use Tollgate\Testing\Reply;
use Tollgate\Testing\TestKeys;
use Tollgate\Tollgate;

/** A merchant with a client, and a gateway in memory with prepared responses. */
final class Shop
{
    public const CLIENT_ID = '5YTEST00000000000';

    public readonly FakeClock $clock;
    public readonly FakeGateway $gateway;
    public readonly Tollgate $client;

    /**
     * @param list<array<string, mixed>|Reply> $replies
     * @param array<string, mixed> $options
     */
    public function __construct(array $replies = [], array $options = [])
    {
        $this->clock = new FakeClock();
        $this->gateway = new FakeGateway($replies, self::gatewayKeys()->privateKey);
        $this->client = new Tollgate(...[
            'clientId' => self::CLIENT_ID,
            'privateKey' => self::merchantKeys()->privateKey,
            'gatewayPublicKeys' => self::gatewayKeys()->publicKey,
            'baseUrl' => 'https://gateway.example',
            'transport' => $this->gateway,
            'clock' => $this->clock,
            ...$options,
        ]);
    }

    /** Creating keys is slow, so all tests share one pair. */
    public static function merchantKeys(): TestKeys
    {
        static $keys = null;
        return $keys ??= TestKeys::make();
    }

    public static function gatewayKeys(): TestKeys
    {
        static $keys = null;
        return $keys ??= TestKeys::make();
    }

    public static function twoCoffees(string $paymentRequestId = 'order-1001-attempt-1'): PayRequest
    {
        $price = Money::of('EUR', '12.50')->toAmount();
        return new PayRequest(
            productCode: ProductCode::CASHIER_PAYMENT,
            paymentRequestId: $paymentRequestId,
            order: new Order(referenceOrderId: 'order-1001', orderDescription: 'Two coffees', orderAmount: $price),
            paymentAmount: $price,
            paymentMethod: new PaymentMethod(paymentMethodType: 'GCASH'),
        );
    }
}

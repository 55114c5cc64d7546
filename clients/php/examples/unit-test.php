<?php

require 'vendor/autoload.php';

use Tollgate\Testing\FakeGateway;
use Tollgate\Testing\Reply;
use Tollgate\Testing\TestKeys;
use Tollgate\Tollgate;

// Tests your code against a gateway in memory: real keys, real signatures, no network.
[$merchant, $gateway] = [TestKeys::make(), TestKeys::make()];
$fake = new FakeGateway([Reply::success(['paymentStatus' => 'SUCCESS'])], $gateway->privateKey);
$client = new Tollgate(
    clientId: '5YTEST',
    privateKey: $merchant->privateKey,
    gatewayPublicKeys: $gateway->publicKey,
    baseUrl: 'https://gateway.example',
    transport: $fake,
);

$payment = $client->payments->inquiryPayment(['paymentId' => '1']);
assert($payment->isPaid());
assert(FakeGateway::verifyRequest($fake->requests[0], $merchant->publicKey) === ['paymentId' => '1']);
echo "ok\n";

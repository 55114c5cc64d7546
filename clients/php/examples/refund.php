<?php

require 'vendor/autoload.php';

use Tollgate\Money;
use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$refundRequestId = Tollgate::newRequestId('refund');

// An array can replace a model.
$client->payments->refund([
    'refundRequestId' => $refundRequestId,
    'paymentId' => getenv('PAYMENT_ID'),
    'refundAmount' => Money::of('EUR', '2.50')->toAmount(),
    'refundNotifyUrl' => 'https://shop.example/notify?shop=1',
]);
$refund = $client->payments->waitForFinalRefund(['refundRequestId' => $refundRequestId]);
echo "{$refund->refundStatus}\n";

<?php

require 'vendor/autoload.php';

use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$inquiry = new InquiryPaymentRequest(paymentId: getenv('PAYMENT_ID'));

$payment = $client->payments->waitForFinal($inquiry, timeoutMs: 30_000);
echo $payment->isPaid() ? 'Paid: ' : 'Not paid: ', "{$payment->paymentStatus} {$payment->paymentAmount->value} {$payment->paymentAmount->currency}\n";

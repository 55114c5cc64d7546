<?php

// Inquires a payment with the client library, which reads keys and address from the environment.
require __DIR__ . '/../../../../clients/php/autoload.php';

use Tollgate\Models\InquiryPaymentRequest;
use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
echo $client->payments->inquiryPayment(new InquiryPaymentRequest(paymentId: $argv[1]))->paymentStatus, "\n";

<?php

require 'vendor/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use Tollgate\Errors\NotFoundError;
use Tollgate\Http\Psr18Transport;
use Tollgate\Tollgate;

// Any PSR-18 client with its PSR-17 factories. PSR-18 has no timeouts and redirects, so configure both in the
// client.
$http = new Client(['connect_timeout' => 15, 'timeout' => 30, 'allow_redirects' => false]);
$client = new Tollgate(environment: 'sandbox', transport: new Psr18Transport($http, new HttpFactory()));

try {
    $client->payments->inquiryPayment(['paymentRequestId' => 'nobody-has-paid-this']);
} catch (NotFoundError $error) {
    echo "{$error->resultCode}. {$error->advice}\n";
}

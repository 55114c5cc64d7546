<?php

require 'vendor/autoload.php';
require __DIR__ . '/shop.php';

use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Webhooks\Webhooks;

// To receive webhooks, you need only a client id and the gateway's public key, and no private key.
$webhooks = Webhooks::of();
try {
    $notification = $webhooks->constructFromGlobals();
    $database = database();
    // A webhook can arrive twice, and webhooks can arrive out of order.
    inTransaction($database, fn () => $notification->applyOnce($database, fn () => settle($database, $notification)));
    header('Content-Type: application/json');
    echo $webhooks->ack();
} catch (SignatureVerificationError) {
    http_response_code(401);
} catch (Throwable $error) {
    // Any response but the acknowledgement makes the gateway send the webhook again.
    error_log((string) $error);
    http_response_code(500);
}

<?php

require 'vendor/autoload.php';
require __DIR__ . '/shop.php';

use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Webhooks\Webhooks;

// Whoever only receives needs a client id and the public key of the gateway, and no key to sign with.
$webhooks = Webhooks::of();
try {
    $notification = $webhooks->constructFromGlobals();
    $database = database();
    // Notifications come twice now and then, and may overtake each other.
    inTransaction($database, fn () => $notification->applyOnce($database, fn () => settle($database, $notification)));
    header('Content-Type: application/json');
    echo $webhooks->ack();
} catch (SignatureVerificationError) {
    http_response_code(401);
} catch (Throwable $error) {
    // Anything but the acknowledgement makes the gateway come again.
    error_log((string) $error);
    http_response_code(500);
}

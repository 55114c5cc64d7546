<?php

require 'vendor/autoload.php';

use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\PaymentNotification;
use Tollgate\Models\RefundNotification;
use Tollgate\Tollgate;
use Tollgate\Webhooks\ApplyOnce;

$client = new Tollgate(environment: 'sandbox');
$database = new PDO('sqlite:' . getenv('DATABASE_FILE'));
// Once, when you set up your database; there is one for `postgresql`, `mysql` and `sqlite`.
$database->exec(ApplyOnce::CREATE_TABLE['sqlite']);

try {
    $notification = $client->webhooks->constructFromGlobals();
    $database->beginTransaction();
    // Notifications come twice now and then, and may overtake each other.
    $notification->applyOnce($database, function () use ($notification): void {
        match (true) {
            $notification->body instanceof PaymentNotification => error_log("told {$notification->body->result->resultCode}"),
            $notification->body instanceof RefundNotification => error_log("told {$notification->body->refundStatus}"),
            default => error_log("told {$notification->kind}"),
        };
    });
    $database->commit();
    header('Content-Type: application/json');
    echo $client->webhooks->ack();
} catch (SignatureVerificationError) {
    // Anything but the acknowledgement makes the gateway come again.
    http_response_code(401);
}

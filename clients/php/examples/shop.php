<?php

use Tollgate\Models\PaymentNotification;
use Tollgate\Webhooks\ApplyOnce;
use Tollgate\Webhooks\Notification;

/**
 * Your own database, here SQLite. Add the first of these tables to your migrations; there is also one for
 * `postgresql` and `mysql`.
 */
function database(): PDO
{
    $database = new PDO('sqlite:' . getenv('DATABASE_FILE'));
    $database->exec(ApplyOnce::CREATE_TABLE['sqlite']);
    $database->exec('create table if not exists orders (payment_request_id text primary key, status text)');
    return $database;
}

/** Runs `applyOnce` and the update of the order in the same transaction. */
function inTransaction(PDO $database, Closure $work): void
{
    $database->beginTransaction();
    try {
        $work();
        $database->commit();
    } catch (Throwable $error) {
        $database->inTransaction() && $database->rollBack();
        throw $error;
    }
}

/** Updates your order from a webhook about a payment. Webhooks report failures, too. */
function settle(PDO $database, Notification $notification): void
{
    $payment = $notification->body;
    // The payment is pending, or its money is only held: it is not paid yet.
    if (!$payment instanceof PaymentNotification || (!$payment->isPaid() && !$payment->isFailed())) {
        return;
    }
    // If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist by
    // then.
    status($database, $payment->paymentRequestId)
        ?? throw new DomainException("There is no order {$payment->paymentRequestId} yet.");
    $update = $database->prepare('update orders set status = ? where payment_request_id = ?');
    $update->execute([$payment->isPaid() ? 'PAID' : 'FAILED', $payment->paymentRequestId]);
}

function status(PDO $database, string $paymentRequestId): ?string
{
    $select = $database->prepare('select status from orders where payment_request_id = ?');
    $select->execute([$paymentRequestId]);
    return $select->fetchColumn() ?: null;
}

/** Another route of the shop, unrelated to the gateway: JSON in, JSON out. */
function order(PDO $database, string $body): string
{
    $id = json_decode($body, flags: JSON_THROW_ON_ERROR)->paymentRequestId;
    $database->prepare("insert or ignore into orders values (?, 'WAITING')")->execute([$id]);
    return json_encode(['paymentRequestId' => $id, 'status' => status($database, $id)]);
}

<?php

use Tollgate\Models\PaymentNotification;
use Tollgate\Webhooks\ApplyOnce;
use Tollgate\Webhooks\Notification;

/** Your own database, here SQLite. The first of these tables belongs into your migrations; `postgresql` and `mysql` have one, too. */
function database(): PDO
{
    $database = new PDO('sqlite:' . getenv('DATABASE_FILE'));
    $database->exec(ApplyOnce::CREATE_TABLE['sqlite']);
    $database->exec('create table if not exists orders (payment_request_id text primary key, status text)');
    return $database;
}

/** For `applyOnce`: what you write about the order has to be in the same transaction. */
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

/** Writes what the gateway tells of a payment to your order. It tells of failures as well. */
function settle(PDO $database, Notification $notification): void
{
    $payment = $notification->body;
    // Pending, or held until you capture it: nothing is paid yet.
    if (!$payment instanceof PaymentNotification || (!$payment->isPaid() && !$payment->isFailed())) {
        return;
    }
    // Nothing is lost by saying no: the gateway comes again, and then the order may be there.
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

/** Another route of the shop, which has nothing to do with the gateway: JSON in, JSON out. */
function order(PDO $database, string $body): string
{
    $id = json_decode($body, flags: JSON_THROW_ON_ERROR)->paymentRequestId;
    $database->prepare("insert or ignore into orders values (?, 'WAITING')")->execute([$id]);
    return json_encode(['paymentRequestId' => $id, 'status' => status($database, $id)]);
}

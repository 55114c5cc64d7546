<?php

namespace App\Http\Controllers;

use Illuminate\Database\Connection;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\PaymentNotification;
use Tollgate\Tollgate;
use Tollgate\Webhooks\Notification;

// In a service provider:
//   $this->app->singleton(Tollgate::class, fn () => new Tollgate(environment: 'sandbox'));
// In routes/api.php, which requires no CSRF token:
//   Route::post('/notify', NotifyController::class);
// In a migration:
//   DB::statement(ApplyOnce::CREATE_TABLE['mysql']); // or 'postgresql', or 'sqlite'
final class NotifyController
{
    public function __invoke(Request $request, Tollgate $client, Connection $database): Response
    {
        try {
            // `getContent()` returns the raw body, which the signature covers. `$request->all()` is already
            // parsed.
            $notification = $client->webhooks->construct(
                path: $request->getRequestUri(),
                headers: $request->headers->all(),
                body: $request->getContent(),
            );
        } catch (SignatureVerificationError) {
            return new Response('', 401);
        }
        // An exception here rolls back the transaction and returns HTTP 500, and the gateway sends the
        // webhook again.
        $database->transaction(fn () => $notification->applyOnce(
            $database->getPdo(),
            fn () => $this->settle($database, $notification),
        ));
        return new Response($client->webhooks->ack(), 200, ['Content-Type' => 'application/json']);
    }

    /** Updates your order from a webhook about a payment. Webhooks report failures, too. */
    private function settle(Connection $database, Notification $notification): void
    {
        $payment = $notification->body;
        // The payment is pending, or its money is only held: it is not paid yet.
        if (!$payment instanceof PaymentNotification || (!$payment->isPaid() && !$payment->isFailed())) {
            return;
        }
        $order = $database->table('orders')->where('payment_request_id', $payment->paymentRequestId);
        // If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist
        // by then.
        if ($order->doesntExist()) {
            throw new \DomainException("There is no order {$payment->paymentRequestId} yet.");
        }
        $order->update(['status' => $payment->isPaid() ? 'PAID' : 'FAILED']);
    }
}

<?php

namespace App\Http\Controllers;

use Illuminate\Database\Connection;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Models\PaymentNotification;
use Tollgate\Tollgate;
use Tollgate\Webhooks\Notification;

// In a service provider: $this->app->singleton(Tollgate::class, fn () => new Tollgate(environment: 'sandbox'));
// In routes/api.php, where no CSRF token is asked for: Route::post('/notify', NotifyController::class);
// In a migration: DB::statement(ApplyOnce::CREATE_TABLE['mysql']); or 'postgresql', or 'sqlite'.
final class NotifyController
{
    public function __invoke(Request $request, Tollgate $client, Connection $database): Response
    {
        try {
            // `getContent()` is the raw body. `$request->all()` is parsed, and nobody has signed that.
            $notification = $client->webhooks->construct(
                path: $request->getRequestUri(),
                headers: $request->headers->all(),
                body: $request->getContent(),
            );
        } catch (SignatureVerificationError) {
            return new Response('', 401);
        }
        // What is thrown in here rolls back and becomes a 500, and the gateway comes again.
        $database->transaction(fn () => $notification->applyOnce(
            $database->getPdo(),
            fn () => $this->settle($database, $notification),
        ));
        return new Response($client->webhooks->ack(), 200, ['Content-Type' => 'application/json']);
    }

    /** Writes what the gateway tells of a payment to your order. It tells of failures as well. */
    private function settle(Connection $database, Notification $notification): void
    {
        $payment = $notification->body;
        // Pending, or held until you capture it: nothing is paid yet.
        if (!$payment instanceof PaymentNotification || (!$payment->isPaid() && !$payment->isFailed())) {
            return;
        }
        $order = $database->table('orders')->where('payment_request_id', $payment->paymentRequestId);
        // Nothing is lost by saying no: the gateway comes again, and then the order may be there.
        if ($order->doesntExist()) {
            throw new \DomainException("There is no order {$payment->paymentRequestId} yet.");
        }
        $order->update(['status' => $payment->isPaid() ? 'PAID' : 'FAILED']);
    }
}

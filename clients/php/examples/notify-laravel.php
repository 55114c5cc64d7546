<?php

namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Tollgate\Models\PaymentNotification;
use Tollgate\Tollgate;

// In a service provider: $this->app->singleton(Tollgate::class, fn () => new Tollgate(environment: 'sandbox'));
// In routes/api.php, where no CSRF token is asked for: Route::post('/notify', NotifyController::class);
final class NotifyController
{
    public function __invoke(Request $request, Tollgate $client): Response
    {
        // `getContent()` is the raw body. `$request->all()` is parsed, and nobody has signed that.
        $notification = $client->webhooks->construct(
            path: $request->getRequestUri(),
            headers: $request->headers->all(),
            body: $request->getContent(),
        );
        if ($notification->body instanceof PaymentNotification) {
            error_log("told {$notification->body->result->resultCode}");
        }
        return new Response($client->webhooks->ack(), 200, ['Content-Type' => 'application/json']);
    }
}

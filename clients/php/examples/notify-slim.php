<?php

require 'vendor/autoload.php';
require __DIR__ . '/shop.php';

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Slim\Factory\AppFactory;
use Tollgate\Errors\SignatureVerificationError;
use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$database = database();
$app = AppFactory::create();

$app->post('/notify', function (ServerRequestInterface $request, ResponseInterface $response) use ($client, $database) {
    try {
        $notification = $client->webhooks->constructFromPsr7($request);
        inTransaction($database, fn () => $notification->applyOnce($database, fn () => settle($database, $notification)));
        $response->getBody()->write($client->webhooks->ack());
        return $response->withHeader('Content-Type', 'application/json');
    } catch (SignatureVerificationError) {
        return $response->withStatus(401);
    } catch (Throwable $error) {
        // Any response but the acknowledgement makes the gateway send the webhook again.
        error_log((string) $error);
        return $response->withStatus(500);
    }
});

$app->post('/orders', function (ServerRequestInterface $request, ResponseInterface $response) use ($database) {
    $response->getBody()->write(order($database, (string) $request->getBody()));
    return $response->withHeader('Content-Type', 'application/json');
});
$app->run();

<?php

require 'vendor/autoload.php';

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Slim\Factory\AppFactory;
use Tollgate\Models\PaymentNotification;
use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$app = AppFactory::create();

$app->post('/notify', function (ServerRequestInterface $request, ResponseInterface $response) use ($client) {
    $notification = $client->webhooks->constructFromPsr7($request);
    if ($notification->body instanceof PaymentNotification) {
        error_log("told {$notification->body->result->resultCode}");
    }
    $response->getBody()->write($client->webhooks->ack());
    return $response->withHeader('Content-Type', 'application/json');
});
$app->run();

<?php

declare(strict_types=1);

// A server for `php -S`: the example's controller with Laravel's own router and database layer, without a
// complete application.

use App\Http\Controllers\NotifyController;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Router;
use Tollgate\Tollgate;

require 'vendor/autoload.php';
require __DIR__ . '/../../examples/shop.php';
require __DIR__ . '/../../examples/notify-laravel.php';

$container = new Container();
$manager = new Manager($container);
$manager->addConnection(['driver' => 'sqlite', 'database' => getenv('DATABASE_FILE')]);
$container->instance(Connection::class, $manager->getConnection());
$container->singleton(Tollgate::class, fn () => new Tollgate(environment: 'sandbox'));
$container->instance(Request::class, Request::capture());
$router = new Router(new Dispatcher($container), $container);
$router->post('/notify', NotifyController::class);
$router->post('/orders', fn (Request $request) => new Response(order(database(), $request->getContent())));
try {
    $router->dispatch($container->make(Request::class))->send();
} catch (Throwable $error) {
    // Returns HTTP 500 for an error, like the exception handler of a complete application.
    error_log((string) $error);
    (new Response('', 500))->send();
}

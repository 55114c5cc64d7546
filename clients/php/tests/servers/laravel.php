<?php

declare(strict_types=1);

// For `php -S`: the controller of the example behind Laravel's own router, without the rest of an application.

use App\Http\Controllers\NotifyController;
use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;
use Tollgate\Tollgate;

require 'vendor/autoload.php';
require __DIR__ . '/../../examples/notify-laravel.php';

$container = new Container();
$container->singleton(Tollgate::class, fn () => new Tollgate(environment: 'sandbox'));
$container->instance(Request::class, Request::capture());
$router = new Router(new Dispatcher($container), $container);
$router->post('/notify', NotifyController::class);
$router->dispatch($container->make(Request::class))->send();

<?php

declare(strict_types=1);

// A server for `php -S`: the example without a framework at /notify, and another script at other paths.

if (str_starts_with($_SERVER['REQUEST_URI'], '/notify')) {
    require __DIR__ . '/../../examples/notify.php';
    return;
}
require 'vendor/autoload.php';
require __DIR__ . '/../../examples/shop.php';
header('Content-Type: application/json');
echo order(database(), file_get_contents('php://input'));

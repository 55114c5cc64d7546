<?php

require 'vendor/autoload.php';
require __DIR__ . '/shop.php';

use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$database = database();
// Where you stopped, from your own database. `follow: true` waits at the end for what comes next.
$cursor = getenv('CURSOR') ?: null;
foreach ($client->tollgate->events(from: $cursor) as $event) {
    inTransaction($database, function () use ($database, $event): void {
        // Here you would write to your order, as `settle` does, and keep the cursor beside it.
        $outcome = $event->applyOnce($database, fn () => print "news: {$event->kind}\n");
        echo "{$event->cursor} {$event->subject} {$outcome}\n";
    });
}

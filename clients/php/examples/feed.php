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
        $outcome = $event->applyOnce($database, fn () => settle($database, $event));
        // Keep `$event->cursor` in the same transaction, and go on from there.
        echo "{$event->cursor} {$event->subject} {$outcome}\n";
    });
}

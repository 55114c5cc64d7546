<?php

require 'vendor/autoload.php';
require __DIR__ . '/shop.php';

use Tollgate\Tollgate;

$client = new Tollgate(environment: 'sandbox');
$database = database();
// The cursor of the last applied event, from your own database. With `follow: true` the loop waits at the end
// of the feed for new events.
$cursor = getenv('CURSOR') ?: null;
foreach ($client->tollgate->events(from: $cursor) as $event) {
    inTransaction($database, function () use ($database, $event): void {
        // Update your order here, as `settle` does, and store the cursor in the same transaction.
        $outcome = $event->applyOnce($database, fn () => print "applied: {$event->kind}\n");
        echo "{$event->cursor} {$event->subject} {$outcome}\n";
    });
}

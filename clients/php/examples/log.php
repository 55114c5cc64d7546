<?php

require 'vendor/autoload.php';

use Tollgate\LogEntry;
use Tollgate\Tollgate;

// The logger is a closure or a PSR-3 logger. It never receives secrets.
$client = new Tollgate(
    environment: 'sandbox',
    logger: fn (LogEntry $entry) => print($entry->sentence() . "\n"),
);
$client->tollgate->inquiryOpenRecords(['limit' => 10]);

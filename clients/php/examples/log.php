<?php

require 'vendor/autoload.php';

use Tollgate\LogEntry;
use Tollgate\Tollgate;

// A closure, or a logger of PSR-3. What is secret never gets there.
$client = new Tollgate(
    environment: 'sandbox',
    logger: fn (LogEntry $entry) => print($entry->sentence() . "\n"),
);
$client->tollgate->inquiryOpenRecords(['limit' => 10]);

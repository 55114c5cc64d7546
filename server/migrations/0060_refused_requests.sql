-- The refused requests of a merchant, which the portal lists first. Without this index a page reads the requests of a
-- whole day: a large merchant has hundreds of thousands, and few are refused. A request that succeeds writes nothing to
-- it. A test compares the codes with the table of results.
-- squawk-ignore require-concurrent-index-creation
create index request_log_refused on request_log (bucket, client_id, at, request_id)
  where result_code not in ('SUCCESS', 'REQUEST_TRAFFIC_EXCEED_LIMIT', 'PAYMENT_IN_PROCESS', 'CAPTURE_IN_PROCESS',
    'REFUND_IN_PROCESS', 'AUTH_IN_PROCESS', 'UNKNOWN_EXCEPTION');

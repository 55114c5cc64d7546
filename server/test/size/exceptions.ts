/** The beginning of a statement, and the reason why its cost is bounded or why it need not be. */
export type KnownStatement = readonly [statement: string, reason: string];

/** Statements that may read more pages for each row than the limit, and what bounds them. */
export const boundedStatements: readonly KnownStatement[] = [
  [
    "with near as materialized ( select payment_id, status, payment_method_type",
    "5,000 entries of an index, by its limit",
  ],
  [
    "with kinds as materialized ( select distinct status, currency",
    "the days of a merchant, not its payments",
  ],
  [
    "select p.client_id, p.payment_id from clients as c join payments",
    "a request id is unique within a merchant, so an operator's search is one index lookup for each merchant",
  ],
  [
    "select payment_id from payments where bucket = $1 and payment_id > $2 and payment_id >= $3",
    "a repeated run of the archive reads each archived payment of its months once",
  ],
  ["select min(oldest.payment_id) as id", "one index lookup for each bucket"],
  [
    "ids := array(select payment_id from payments",
    "the payments of a batch, which it returns as one array in one row",
  ],
  [
    "select item.effect, l.currency, count(distinct item.subject_id)",
    "the movements of one settlement batch, which it sums",
  ],
  [
    "with place as ( select $1::text as subject_id",
    "the movements between the statement and the nearest closed month, which it sums; at most half a month if finance closes each month",
  ],
  [
    "select (l.at at time zone 'UTC' + interval '8 hours')::date::text as day",
    "the movements of at most 31 days, which it sums by day",
  ],
];

/** Statements that read more as tables grow, and why they stay. */
export const unboundedStatements: readonly KnownStatement[] = [
  [
    "select n.notification_id, n.kind, n.subject_id",
    "a rare status is filtered along the primary key within the requested time; an index by status would be written twice for each webhook",
  ],
  [
    "select at, request_id, key_version, path, result_code",
    "a rare result code is filtered along the primary key within the requested time; an index by result would be written for each API request",
  ],
];

/** Commands that no test runs on the large database, grouped by reason. */
export const uncoveredCommands: readonly (readonly [reason: string, commands: readonly string[]])[] = [
  [
    "a process: operations, views and the jobs of the test run its statements",
    ["serve", "serve-staff", "work", "signer"],
  ],
  [
    "runs no statement on tables that grow with payments",
    ["version", "preflight", "migrate", "cells sign", "cells edge", "bench"],
  ],
  [
    "reads or changes gateway keys, which are few",
    ["gateway-key add", "gateway-key list", "gateway-key show", "gateway-key retire", "key-file rotate"],
  ],
  [
    "changes one merchant or one key by its primary key",
    [
      "merchant add",
      "merchant set",
      "merchant suspend",
      "merchant resume",
      "merchant key add",
      "merchant key revoke",
      "merchant gateway-key",
      "merchant link-schemes",
    ],
  ],
  [
    "reads or changes connectors, which are few",
    [
      "connector add",
      "connector show",
      "connector set",
      "connector test",
      "connector refresh",
      "connector disable",
      "connector enable",
      "connector gateway-key",
      "connector account set",
      "connector account remove",
    ],
  ],
  [
    "changes the jobs or notifications of one record; operation resendNotifications and command `job list` run the same statements",
    ["notification resend", "job retry", "job hold", "job release"],
  ],
  [
    "reads whole tables by design: it compares, sums or exports all records of a time",
    [
      "reconcile",
      "balances rebuild",
      "trial-balance",
      "period close",
      "ledger export",
      "fee cost compare",
      "settlement close",
      "settlement check",
      "archive verify",
      "audit verify",
      "cells rebalance",
      "fx position",
      "provider receivables",
    ],
  ],
  [
    "reads or writes the lines of one file, by key",
    [
      "settlement import",
      "bank import",
      "payout import",
      "payout show",
      "payout approve",
      "payout void",
      "payout recover",
      "payout resync",
    ],
  ],
  ["plans all due batches by the partial index of due batches", ["payout run"]],
  [
    "test `search rebuild` runs its batches, and feeds have one row for each merchant",
    ["search rebuild", "feed advance-cursors"],
  ],
  [
    "changes one setting",
    ["request-log keep", "universe limits", "holiday set", "fx rate set", "payout bank set"],
  ],
  [
    "changes one break by its primary key",
    ["break close", "break reopen", "break assign", "break write-off"],
  ],
  [
    "changes one rule, hold, account or deal by its key",
    [
      "fee set",
      "fee cost set",
      "payout hold",
      "payout release",
      "payout terms set",
      "payout account set",
      "payout account approve",
      "payout account end",
      "fx deal book",
      "approval approve",
    ],
  ],
  [
    "reads one file of the archive and one payment by its key; `buyer erase` runs the same lookup",
    ["archive show"],
  ],
  [
    "copies or deletes all rows of merchants by design",
    ["merchant move", "cells move-bucket", "universe sweep"],
  ],
  [
    "reads the directory of cells",
    ["cell init", "cell show", "cells status", "cells export-fleet", "cells import-fleet"],
  ],
];

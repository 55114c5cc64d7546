/** The retention of a table's rows, and what deletes them. */
export interface TableRetention {
  readonly holds: string;
  readonly grows: Growth;
  readonly stays: string;
  /** The database function or the source file that deletes rows. If it is absent, rows are never deleted. */
  readonly removedBy?: RemovedBy;
  /** The personal data of a buyer that a row contains. */
  readonly buyer?: string;
}

export type RemovedBy = { readonly sql: string } | { readonly file: string };

/** The causes of a table's growth. */
export const growths = {
  calls: "with each API request",
  payments: "with each payment, or with each change of one",
  agreements: "with each consent of a buyer",
  open: "with open records only",
  merchants: "with merchants and their settings",
  days: "with merchants and days",
  files: "with each provider's settlement file, or its discrepancies",
  acts: "with each command of an operator",
  tests: "with tests in the sandbox",
  fixed: "not at all, or with a release",
} as const;
type Growth = keyof typeof growths;

const notRemoved = "not removed";
const untilArchived =
  "until `archive`: at least 180 days after the end and after the provider's refund window";
const byArchive = { file: "archive/archive.sql.ts" } as const;

/** The retention of every table. A test fails if a table is missing. */
export const tableRetention: Readonly<Record<string, TableRetention>> = {
  request_log: {
    holds: "requests and responses of merchants, with masked tokens and codes",
    grows: "calls",
    stays: "30 days, or what `request-log keep` says",
    removedBy: { sql: "maintain_request_log" },
    buyer: "everything that a merchant writes into a request",
  },
  payments: {
    holds: "payments, one row each; a request id is never used twice",
    grows: "payments",
    stays: notRemoved,
    buyer: "description, metadata, redirect address; a shown payment code, encrypted, until it is used",
  },
  payment_events: {
    holds: "each state of a payment",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  payment_sessions: {
    holds: "data of a checkout page on which the buyer chooses the payment method",
    grows: "payments",
    stays: notRemoved,
    buyer: "the order as the merchant wrote it, region",
  },
  captures: { holds: "captures", grows: "payments", stays: notRemoved },
  refunds: { holds: "refunds", grows: "payments", stays: notRemoved },
  reversals: { holds: "late payments that were returned", grows: "payments", stays: notRemoved },
  disputes: {
    holds: "disputes",
    grows: "payments",
    stays: notRemoved,
    buyer: "the provider's description of it",
  },
  dispute_events: { holds: "each state of a dispute", grows: "payments", stays: notRemoved },
  dispute_evidence: {
    holds: "files with which a merchant defends",
    grows: "payments",
    stays: notRemoved,
    buyer: "everything that the merchant supplies",
  },
  provider_events: {
    holds: "processed callbacks",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  ledger_transfers: { holds: "the ledger, by double entry", grows: "payments", stays: notRemoved },
  notifications: {
    holds: "the outbox and the event feed: webhooks of merchants",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
    buyer: "as in the payment",
  },
  notification_attempts: {
    holds: "each delivery, and the response of the merchant's system",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  archives: {
    holds: "archive files of old payments, with their checksums",
    grows: "payments",
    stays: notRemoved,
  },
  search_payments: { holds: "search data of payments", grows: "payments", stays: notRemoved },
  changed_payments_queue: {
    holds: "payments whose search data is out of date",
    grows: "open",
    stays: "half a second; a second after 5 s without payments",
    removedBy: { sql: "fill_search" },
  },
  payment_counts: { holds: "charts: counts and sums by hour and day", grows: "days", stays: notRemoved },
  jobs: {
    holds: "pending jobs with their due times",
    grows: "open",
    stays: "until the job is done",
    removedBy: { file: "jobs/job.sql.ts" },
  },
  reserves: { holds: "sums that refunds in progress have reserved", grows: "merchants", stays: notRemoved },
  balances: { holds: "sums of the ledger", grows: "merchants", stays: notRemoved },
  authorizations: {
    holds: "consents of buyers",
    grows: "agreements",
    stays: notRemoved,
    buyer: "the account name at the provider",
  },
  authorization_events: { holds: "each state of an authorization", grows: "agreements", stays: notRemoved },
  tokens: { holds: "tokens, encrypted, and hashes of them", grows: "agreements", stays: notRemoved },
  clients: { holds: "merchants and their settings", grows: "merchants", stays: notRemoved },
  client_keys: { holds: "public keys of merchants", grows: "merchants", stays: notRemoved },
  key_uses: {
    holds: "number of uses of each key per day",
    grows: "days",
    stays: "60 days, and then until the next use of a key",
    removedBy: { file: "keys/key-use.sql.ts" },
  },
  notify_urls: {
    holds: "webhook addresses of merchants by kind",
    grows: "merchants",
    stays: "until the merchant deletes it",
    removedBy: { file: "notifications/endpoint.sql.ts" },
  },
  brands: { holds: "brands of merchants' checkout pages", grows: "merchants", stays: notRemoved },
  paused_queues: {
    holds: "paused webhook endpoints",
    grows: "merchants",
    stays: "until it is resumed",
    removedBy: { file: "notifications/paused-queue.sql.ts" },
  },
  last_changes: {
    holds: "the newest change of each kind by a merchant",
    grows: "merchants",
    stays: notRemoved,
  },
  feed_heads: { holds: "the newest position of each feed", grows: "merchants", stays: notRemoved },
  registrations: {
    holds: "merchants and stores that are registered with providers",
    grows: "merchants",
    stays: notRemoved,
  },
  provider_registrations: {
    holds: "the decision of each provider on it",
    grows: "merchants",
    stays: notRemoved,
  },
  connectors: { holds: "connectors and their settings", grows: "fixed", stays: notRemoved },
  fee_rules: { holds: "fees of merchants, from which moment on", grows: "acts", stays: notRemoved },
  provider_costs: {
    holds: "costs by contract with providers, from which day on",
    grows: "acts",
    stays: notRemoved,
  },
  exchange_quotes: {
    holds: "FX rates of merchants, with their validity",
    grows: "acts",
    stays: notRemoved,
  },
  gateway_keys: { holds: "the gateway's keys, encrypted", grows: "acts", stays: notRemoved },
  settlement_files: { holds: "imported settlement files of providers", grows: "files", stays: notRemoved },
  settlement_rows: { holds: "their rows", grows: "files", stays: notRemoved },
  settlement_repeats: { holds: "repeated rows with different content", grows: "files", stays: notRemoved },
  bank_files: { holds: "imported bank statements", grows: "files", stays: notRemoved },
  bank_lines: { holds: "bank entries, by statement", grows: "files", stays: notRemoved },
  breaks: { holds: "discrepancies of reconciliation, and their causes", grows: "files", stays: notRemoved },
  reconciliation_runs: {
    holds: "reconciliation runs: time, days and files",
    grows: "acts",
    stays: notRemoved,
  },
  bank_accounts: {
    holds: "merchants' bank accounts, with requester and approver",
    grows: "merchants",
    stays: notRemoved,
  },
  payout_holds: {
    holds: "payout holds: when, by which operator and why payouts were held and released",
    grows: "acts",
    stays: notRemoved,
  },
  settlement_terms: {
    holds: "settlement terms: payout period and reserve of merchants",
    grows: "merchants",
    stays: notRemoved,
  },
  settlement_batches: {
    holds: "settlement batches: sums owed to merchants for a day, week or month",
    grows: "days",
    stays: notRemoved,
  },
  settlement_items: { holds: "the batch of each movement", grows: "payments", stays: notRemoved },
  payouts: { holds: "payouts to merchants, and their outcomes", grows: "days", stays: notRemoved },
  payout_file_lines: {
    holds: "payees of planned payout files",
    grows: "days",
    stays: notRemoved,
  },
  payout_resyncs: {
    holds: "payout resyncs: statements of two people about the bank folder after a restore",
    grows: "acts",
    stays: notRemoved,
  },
  payout_entries: {
    holds: "entries of our accounts under a payout's reference",
    grows: "days",
    stays: notRemoved,
  },
  payout_reports: {
    holds: "status reports of banks about payouts that changed nothing: duplicates and contradictions",
    grows: "days",
    stays: notRemoved,
  },
  payout_files: {
    holds: "payout files that were handed over to a bank, with their checksums",
    grows: "files",
    stays: notRemoved,
  },
  banks: { holds: "the operator's own bank accounts", grows: "fixed", stays: notRemoved },
  bank_holidays: {
    holds: "days on which banks do not pay, by currency",
    grows: "acts",
    stays: "until its year is set again",
    removedBy: { file: "settlement/holiday.sql.ts" },
  },
  audit: {
    holds: "audit log: acts of operators, each with the hash of the previous one",
    grows: "acts",
    stays: notRemoved,
  },
  approval_requests: {
    holds: "requests for approval in live, with the row changes that each is for, and their approvals",
    grows: "acts",
    stays: notRemoved,
  },
  console_approvals: {
    holds: "approvals in the console: who requested a change, and who approved it",
    grows: "acts",
    stays: notRemoved,
  },
  row_changes: {
    holds: "row changes of staff logins, until the commit has checked and audited them",
    grows: "open",
    stays: "until the next commit of a staff login",
    removedBy: { sql: "check_row_changes" },
  },
  universes: {
    holds: "isolated test merchants of test runs",
    grows: "tests",
    stays: "until `universe sweep`, with all their rows in all tables",
    removedBy: { sql: "sweep_universes" },
  },
  universe_limits: { holds: "the limit of their number", grows: "fixed", stays: notRemoved },
  clocks: { holds: "offset of each merchant's test clock", grows: "tests", stays: notRemoved },
  clock_turns: { holds: "each clock turn, and what became due", grows: "tests", stays: notRemoved },
  notification_faults: { holds: "requested faults of webhooks", grows: "tests", stays: notRemoved },
  closed_months: { holds: "months that finance has closed", grows: "fixed", stays: notRemoved },
  closed_sums: {
    holds: "balance of each account at the end of a closed month",
    grows: "merchants",
    stays: notRemoved,
  },
  balances_position: { holds: "position up to which balances are summed", grows: "fixed", stays: notRemoved },
  search_position: { holds: "position up to which the search is filled", grows: "fixed", stays: notRemoved },
  request_log_retention: { holds: "retention of the request log in days", grows: "fixed", stays: notRemoved },
  environment: { holds: "sandbox or live", grows: "fixed", stays: notRemoved },
  installation: { holds: "the installation secret, encrypted", grows: "fixed", stays: notRemoved },
  migrations: { holds: "applied migrations", grows: "fixed", stays: notRemoved },
  cell: { holds: "the cell of a fleet that this installation is", grows: "fixed", stays: notRemoved },
  cell_buckets: {
    holds: "the buckets that this cell owns, or has given to another",
    grows: "fixed",
    stays: notRemoved,
  },
  client_homes: {
    holds: "moved or moving clients, with their home cells",
    grows: "merchants",
    stays: notRemoved,
  },
};

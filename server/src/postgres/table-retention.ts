/** The retention of a table's rows, and what deletes them. */
export interface TableRetention {
  readonly contents: string;
  readonly growth: Growth;
  readonly retention: string;
  /** The database function or the source file that deletes rows. If it is absent, rows are never deleted. */
  readonly removedBy?: RemovedBy;
  /** The personal data of a buyer that a row contains. */
  readonly buyerData?: string;
}

export type RemovedBy = { readonly sql: string } | { readonly file: string };

/** The causes of a table's growth. */
export const growthCauses = {
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
type Growth = keyof typeof growthCauses;

const notRemoved = "not removed";
const untilArchived =
  "until `archive`: at least 180 days after the end and after the provider's refund window";
const byArchive = { file: "archive/archive.sql.ts" } as const;

/** The retention of every table. A test fails if a table is missing. */
export const tableRetention: Readonly<Record<string, TableRetention>> = {
  request_log: {
    contents: "requests and responses of merchants, with masked tokens and codes",
    growth: "calls",
    retention: "30 days, or what `request-log keep` says",
    removedBy: { sql: "maintain_request_log" },
    buyerData: "everything that a merchant writes into a request",
  },
  payments: {
    contents: "payments, one row each; a request id is never used twice",
    growth: "payments",
    retention: notRemoved,
    buyerData: "description, metadata, redirect address; a shown payment code, encrypted, until it is used",
  },
  payment_events: {
    contents: "each state of a payment",
    growth: "payments",
    retention: untilArchived,
    removedBy: byArchive,
  },
  payment_sessions: {
    contents: "data of a checkout page on which the buyer chooses the payment method",
    growth: "payments",
    retention: notRemoved,
    buyerData: "the order as the merchant wrote it, region",
  },
  order_data: {
    contents: "data of payments whose payment provider wants it, such as buyer, device and goods",
    growth: "payments",
    retention: untilArchived,
    removedBy: byArchive,
    buyerData:
      "the groups that the connector wants: the buyer's name and addresses, device, IP address, goods",
  },
  captures: { contents: "captures", growth: "payments", retention: notRemoved },
  refunds: { contents: "refunds", growth: "payments", retention: notRemoved },
  reversals: { contents: "late payments that were returned", growth: "payments", retention: notRemoved },
  disputes: {
    contents: "disputes",
    growth: "payments",
    retention: notRemoved,
    buyerData: "the provider's description of it",
  },
  dispute_events: { contents: "each state of a dispute", growth: "payments", retention: notRemoved },
  dispute_evidence: {
    contents: "files with which a merchant defends",
    growth: "payments",
    retention: notRemoved,
    buyerData: "everything that the merchant supplies",
  },
  provider_events: {
    contents: "processed callbacks",
    growth: "payments",
    retention: untilArchived,
    removedBy: byArchive,
  },
  ledger_transfers: { contents: "the ledger, by double entry", growth: "payments", retention: notRemoved },
  notifications: {
    contents: "the outbox and the event feed: webhooks of merchants",
    growth: "payments",
    retention: untilArchived,
    removedBy: byArchive,
    buyerData: "as in the payment",
  },
  notification_attempts: {
    contents: "each delivery, and the response of the merchant's system",
    growth: "payments",
    retention: untilArchived,
    removedBy: byArchive,
  },
  archives: {
    contents: "archive files of old payments, with their checksums",
    growth: "payments",
    retention: notRemoved,
  },
  search_payments: { contents: "search data of payments", growth: "payments", retention: notRemoved },
  changed_payments_queue: {
    contents: "payments whose search data is out of date",
    growth: "open",
    retention: "half a second; a second after 5 s without payments",
    removedBy: { sql: "fill_search" },
  },
  payment_counts: {
    contents: "charts: counts and sums by hour and day",
    growth: "days",
    retention: notRemoved,
  },
  jobs: {
    contents: "pending jobs with their due times",
    growth: "open",
    retention: "until the job is done",
    removedBy: { file: "jobs/job.sql.ts" },
  },
  reserves: {
    contents: "sums that refunds in progress have reserved",
    growth: "merchants",
    retention: notRemoved,
  },
  balances: { contents: "sums of the ledger", growth: "merchants", retention: notRemoved },
  authorizations: {
    contents: "consents of buyers",
    growth: "agreements",
    retention: notRemoved,
    buyerData: "the account name at the provider",
  },
  authorization_events: {
    contents: "each state of an authorization",
    growth: "agreements",
    retention: notRemoved,
  },
  tokens: { contents: "tokens, encrypted, and hashes of them", growth: "agreements", retention: notRemoved },
  clients: { contents: "merchants and their settings", growth: "merchants", retention: notRemoved },
  client_keys: { contents: "public keys of merchants", growth: "merchants", retention: notRemoved },
  key_uses: {
    contents: "number of uses of each key per day",
    growth: "days",
    retention: "60 days, and then until the next use of a key",
    removedBy: { file: "keys/key-use.sql.ts" },
  },
  notify_urls: {
    contents: "webhook addresses of merchants by kind",
    growth: "merchants",
    retention: "until the merchant deletes it",
    removedBy: { file: "notifications/endpoint.sql.ts" },
  },
  brands: { contents: "brands of merchants' checkout pages", growth: "merchants", retention: notRemoved },
  paused_queues: {
    contents: "paused webhook endpoints",
    growth: "merchants",
    retention: "until it is resumed",
    removedBy: { file: "notifications/paused-queue.sql.ts" },
  },
  last_changes: {
    contents: "the newest change of each kind by a merchant",
    growth: "merchants",
    retention: notRemoved,
  },
  feed_heads: { contents: "the newest position of each feed", growth: "merchants", retention: notRemoved },
  registrations: {
    contents: "merchants and stores that are registered with providers",
    growth: "merchants",
    retention: notRemoved,
  },
  provider_registrations: {
    contents: "the decision of each provider on it",
    growth: "merchants",
    retention: notRemoved,
  },
  provider_accounts: {
    contents: "accounts of merchants at payment providers, for new orders",
    growth: "merchants",
    retention: "until `connector account remove`",
    removedBy: { file: "providers/provider-account.sql.ts" },
  },
  connectors: { contents: "connectors and their settings", growth: "fixed", retention: notRemoved },
  fee_rules: { contents: "fees of merchants, from which moment on", growth: "acts", retention: notRemoved },
  provider_costs: {
    contents: "costs by contract with providers, from which day on",
    growth: "acts",
    retention: notRemoved,
  },
  exchange_quotes: {
    contents: "FX rates of merchants, with their validity",
    growth: "acts",
    retention: notRemoved,
  },
  gateway_keys: { contents: "the gateway's keys, encrypted", growth: "acts", retention: notRemoved },
  settlement_files: {
    contents: "imported settlement files of providers",
    growth: "files",
    retention: notRemoved,
  },
  settlement_rows: { contents: "their rows", growth: "files", retention: notRemoved },
  settlement_payout_rows: { contents: "the payouts of their rows", growth: "files", retention: notRemoved },
  settlement_repeats: {
    contents: "repeated rows with different content",
    growth: "files",
    retention: notRemoved,
  },
  bank_files: { contents: "imported bank statements", growth: "files", retention: notRemoved },
  bank_lines: { contents: "bank entries, by statement", growth: "files", retention: notRemoved },
  breaks: {
    contents: "discrepancies of reconciliation, and their causes",
    growth: "files",
    retention: notRemoved,
  },
  reconciliation_runs: {
    contents: "reconciliation runs: time, days and files",
    growth: "acts",
    retention: notRemoved,
  },
  bank_accounts: {
    contents: "merchants' bank accounts, with requester and approver",
    growth: "merchants",
    retention: notRemoved,
  },
  payout_holds: {
    contents: "payout holds: when, by which operator and why payouts were held and released",
    growth: "acts",
    retention: notRemoved,
  },
  settlement_terms: {
    contents: "settlement terms: payout period and reserve of merchants",
    growth: "merchants",
    retention: notRemoved,
  },
  settlement_batches: {
    contents: "settlement batches: sums owed to merchants for a day, week or month",
    growth: "days",
    retention: notRemoved,
  },
  settlement_items: { contents: "the batch of each movement", growth: "payments", retention: notRemoved },
  payouts: { contents: "payouts to merchants, and their outcomes", growth: "days", retention: notRemoved },
  payout_file_lines: {
    contents: "payees of planned payout files",
    growth: "days",
    retention: notRemoved,
  },
  payout_resyncs: {
    contents: "payout resyncs: statements of two people about the bank folder after a restore",
    growth: "acts",
    retention: notRemoved,
  },
  payout_entries: {
    contents: "entries of our accounts under a payout's reference",
    growth: "days",
    retention: notRemoved,
  },
  payout_reports: {
    contents: "status reports of banks about payouts that changed nothing: duplicates and contradictions",
    growth: "days",
    retention: notRemoved,
  },
  payout_files: {
    contents: "payout files that were handed over to a bank, with their checksums",
    growth: "files",
    retention: notRemoved,
  },
  banks: { contents: "the operator's own bank accounts", growth: "fixed", retention: notRemoved },
  bank_holidays: {
    contents: "days on which banks do not pay, by currency",
    growth: "acts",
    retention: "until its year is set again",
    removedBy: { file: "settlement/holiday.sql.ts" },
  },
  audit: {
    contents: "audit log: acts of operators, each with the hash of the previous one",
    growth: "acts",
    retention: notRemoved,
  },
  approval_requests: {
    contents: "requests for approval in live, with the row changes that each is for, and their approvals",
    growth: "acts",
    retention: notRemoved,
  },
  console_approvals: {
    contents: "approvals in the console: who requested a change, and who approved it",
    growth: "acts",
    retention: notRemoved,
  },
  row_changes: {
    contents: "row changes of staff logins, until the commit has checked and audited them",
    growth: "open",
    retention: "until the next commit of a staff login",
    removedBy: { sql: "check_row_changes" },
  },
  universes: {
    contents: "isolated test merchants of test runs",
    growth: "tests",
    retention: "until `universe sweep`, with all their rows in all tables",
    removedBy: { sql: "sweep_universes" },
  },
  universe_limits: { contents: "the limit of their number", growth: "fixed", retention: notRemoved },
  clocks: { contents: "offset of each merchant's test clock", growth: "tests", retention: notRemoved },
  clock_turns: { contents: "each clock turn, and what became due", growth: "tests", retention: notRemoved },
  notification_faults: { contents: "requested faults of webhooks", growth: "tests", retention: notRemoved },
  closed_months: { contents: "months that finance has closed", growth: "fixed", retention: notRemoved },
  closed_sums: {
    contents: "balance of each account at the end of a closed month",
    growth: "merchants",
    retention: notRemoved,
  },
  balances_position: {
    contents: "position up to which balances are summed",
    growth: "fixed",
    retention: notRemoved,
  },
  search_position: {
    contents: "position up to which the search is filled",
    growth: "fixed",
    retention: notRemoved,
  },
  request_log_retention: {
    contents: "retention of the request log in days",
    growth: "fixed",
    retention: notRemoved,
  },
  environment: { contents: "sandbox or live", growth: "fixed", retention: notRemoved },
  installation: { contents: "the installation secret, encrypted", growth: "fixed", retention: notRemoved },
  migrations: { contents: "applied migrations", growth: "fixed", retention: notRemoved },
  cell: { contents: "the cell of a fleet that this installation is", growth: "fixed", retention: notRemoved },
  cell_buckets: {
    contents: "the buckets that this cell owns, or has given to another",
    growth: "fixed",
    retention: notRemoved,
  },
  client_homes: {
    contents: "moved or moving clients, with their home cells",
    growth: "merchants",
    retention: notRemoved,
  },
};

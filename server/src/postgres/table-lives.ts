/** How long the rows of a table stay, and what removes them. */
export interface TableLife {
  readonly holds: string;
  readonly grows: Growth;
  readonly stays: string;
  /** Where rows are removed: a function of the database, or a file of ours that deletes. Absent: they stay for ever. */
  readonly removedBy?: RemovedBy;
  /** What a row may say about a buyer. */
  readonly buyer?: string;
}

export type RemovedBy = { readonly sql: string } | { readonly file: string };

/** What makes a table longer. */
export const growths = {
  calls: "with each call",
  payments: "with each payment, or with what is done to one",
  agreements: "with each agreement of a buyer",
  open: "with what is open, and not beyond",
  merchants: "with merchants and their settings",
  days: "with merchants and days",
  files: "with each wallet's file, or what it differs in",
  acts: "with each act of an operator",
  tests: "with tests in the sandbox",
  fixed: "not at all, or with a release",
} as const;
type Growth = keyof typeof growths;

const forEver = "for ever";
const untilArchived = "until `archive`: 180 days after the end, and the wallet's refund window, at the least";
const byArchive = { file: "archive/archive.sql.ts" } as const;

/** The life of every table. A table that is not in it fails a test, so whoever adds one decides. */
export const tableLives: Readonly<Record<string, TableLife>> = {
  request_log: {
    holds: "what merchants asked and were answered, with tokens and codes struck out",
    grows: "calls",
    stays: "30 days, or what `request-log keep` says",
    removedBy: { sql: "maintain_request_log" },
    buyer: "all that a merchant writes into a call",
  },
  payments: {
    holds: "payments, one row each; its request id is good once, for ever",
    grows: "payments",
    stays: forEver,
    buyer:
      "description, metadata, the address to come back to; a code that was shown, sealed, until it is used",
  },
  payment_events: {
    holds: "each state of a payment",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  payment_sessions: {
    holds: "what a page has to know on which a buyer chooses",
    grows: "payments",
    stays: forEver,
    buyer: "the order as the merchant wrote it, region",
  },
  captures: { holds: "captures", grows: "payments", stays: forEver },
  refunds: { holds: "refunds", grows: "payments", stays: forEver },
  reversals: { holds: "payments that came too late, and went back", grows: "payments", stays: forEver },
  disputes: { holds: "disputes", grows: "payments", stays: forEver, buyer: "what the wallet says about it" },
  dispute_events: { holds: "each state of a dispute", grows: "payments", stays: forEver },
  dispute_evidence: {
    holds: "files with which a merchant answers",
    grows: "payments",
    stays: forEver,
    buyer: "whatever the merchant supplies",
  },
  wallet_events: {
    holds: "callbacks that were heard",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  ledger_transfers: { holds: "the ledger, by double entry", grows: "payments", stays: forEver },
  notifications: {
    holds: "the outbox and the feed: what merchants are told",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
    buyer: "what the payment has",
  },
  notification_attempts: {
    holds: "each delivery, and what the merchant's system answered",
    grows: "payments",
    stays: untilArchived,
    removedBy: byArchive,
  },
  archives: {
    holds: "files of payments that are long over, with their checksums",
    grows: "payments",
    stays: forEver,
  },
  search_payments: { holds: "what people search payments by", grows: "payments", stays: forEver },
  payment_changes: {
    holds: "payments whose search is out of date",
    grows: "open",
    stays: "half a second; a second after 5 s without payments",
    removedBy: { sql: "fill_search" },
  },
  payment_counts: { holds: "charts: counts and sums by hour and day", grows: "days", stays: forEver },
  jobs: {
    holds: "what has to be done, and when",
    grows: "open",
    stays: "until it is done",
    removedBy: { file: "jobs/job.sql.ts" },
  },
  reserves: { holds: "what refunds under way have set aside", grows: "merchants", stays: forEver },
  balances: { holds: "sums of the ledger", grows: "merchants", stays: forEver },
  authorizations: {
    holds: "what buyers agreed to",
    grows: "agreements",
    stays: forEver,
    buyer: "the name at the wallet",
  },
  authorization_events: { holds: "each state of an authorization", grows: "agreements", stays: forEver },
  tokens: { holds: "tokens, sealed, and hashes of them", grows: "agreements", stays: forEver },
  clients: { holds: "merchants and their settings", grows: "merchants", stays: forEver },
  client_keys: { holds: "public keys of merchants", grows: "merchants", stays: forEver },
  key_uses: {
    holds: "which key was used how often on a day",
    grows: "days",
    stays: "60 days, and until it is used again",
    removedBy: { file: "keys/key-use.sql.ts" },
  },
  notify_urls: {
    holds: "addresses of merchants by kind of notification",
    grows: "merchants",
    stays: "until the merchant takes it back",
    removedBy: { file: "notifications/endpoint.sql.ts" },
  },
  brands: { holds: "how merchants' checkout pages look", grows: "merchants", stays: forEver },
  paused_lanes: {
    holds: "endpoints that get nothing for now",
    grows: "merchants",
    stays: "until it goes on",
    removedBy: { file: "notifications/paused-lane.sql.ts" },
  },
  last_changes: { holds: "the newest change of each kind by a merchant", grows: "merchants", stays: forEver },
  feed_heads: { holds: "the newest position of each feed", grows: "merchants", stays: forEver },
  registrations: {
    holds: "merchants and stores that are registered with wallets",
    grows: "merchants",
    stays: forEver,
  },
  wallet_registrations: { holds: "what each wallet says to that", grows: "merchants", stays: forEver },
  connectors: { holds: "wallets and their settings", grows: "fixed", stays: forEver },
  fee_rules: { holds: "what merchants pay, from which moment on", grows: "acts", stays: forEver },
  wallet_costs: { holds: "what wallets should keep, from which day on", grows: "acts", stays: forEver },
  exchange_quotes: {
    holds: "prices of currencies that merchants get, from when and until when",
    grows: "acts",
    stays: forEver,
  },
  gateway_keys: { holds: "the gateway's keys, wrapped", grows: "acts", stays: forEver },
  settlement_files: { holds: "wallets' files that were imported", grows: "files", stays: forEver },
  settlement_rows: { holds: "their rows", grows: "files", stays: forEver },
  settlement_repeats: { holds: "rows that say again, and differently", grows: "files", stays: forEver },
  bank_files: { holds: "banks' statements that were imported", grows: "files", stays: forEver },
  bank_lines: { holds: "what came and went at banks, by statements", grows: "files", stays: forEver },
  breaks: { holds: "where books differ, and why", grows: "files", stays: forEver },
  reconciliation_runs: {
    holds: "reconciliation runs: when, and over which days and files",
    grows: "acts",
    stays: forEver,
  },
  bank_accounts: {
    holds: "merchants' bank accounts: who asked for them, and who approved",
    grows: "merchants",
    stays: forEver,
  },
  payout_holds: {
    holds: "payout holds: when, by which operator and why payouts were held and released",
    grows: "acts",
    stays: forEver,
  },
  settlement_terms: {
    holds: "how often merchants are paid, and what is kept back",
    grows: "merchants",
    stays: forEver,
  },
  settlement_batches: {
    holds: "what merchants are owed for a day, a week or a month",
    grows: "days",
    stays: forEver,
  },
  settlement_items: { holds: "which movement is in which batch", grows: "payments", stays: forEver },
  payouts: { holds: "what was paid out to merchants, and how it ended", grows: "days", stays: forEver },
  payout_file_lines: {
    holds: "payees of planned payout files",
    grows: "days",
    stays: forEver,
  },
  payout_resyncs: {
    holds: "what two people stated about the bank folder after a restore",
    grows: "acts",
    stays: forEver,
  },
  payout_entries: {
    holds: "entries of our accounts under a payout's reference",
    grows: "days",
    stays: forEver,
  },
  payout_reports: {
    holds: "status reports of banks about payouts that changed nothing: duplicates and contradictions",
    grows: "days",
    stays: forEver,
  },
  payout_files: {
    holds: "files of payouts that a bank was given, with their checksums",
    grows: "files",
    stays: forEver,
  },
  banks: { holds: "our own bank accounts", grows: "fixed", stays: forEver },
  bank_holidays: {
    holds: "days on which banks do not pay, by currency",
    grows: "acts",
    stays: "until its year is set anew",
    removedBy: { file: "settlement/holiday.sql.ts" },
  },
  audit: { holds: "acts of operators, each with the hash of the one before", grows: "acts", stays: forEver },
  asked_acts: {
    holds: "requests for approval in live, with the row changes that each is for, and their approvals",
    grows: "acts",
    stays: forEver,
  },
  console_approvals: {
    holds: "approvals in the console: who requested a change, and who approved it",
    grows: "acts",
    stays: forEver,
  },
  row_changes: {
    holds: "row changes of staff logins, until the commit has checked and audited them",
    grows: "open",
    stays: "until the next commit of a staff login",
    removedBy: { sql: "check_row_changes" },
  },
  universes: {
    holds: "merchants of a test run",
    grows: "tests",
    stays: "until `universe sweep`, with all rows of theirs in all tables",
    removedBy: { sql: "sweep_universes" },
  },
  universe_limits: { holds: "how many there may be", grows: "fixed", stays: forEver },
  clocks: { holds: "how far a merchant's clock is ahead", grows: "tests", stays: forEver },
  clock_turns: { holds: "each turn, and what became due", grows: "tests", stays: forEver },
  notification_faults: { holds: "what is to go wrong with notifications", grows: "tests", stays: forEver },
  closed_months: { holds: "months that finance has closed", grows: "fixed", stays: forEver },
  closed_sums: {
    holds: "what stood in each account at the end of a closed month",
    grows: "merchants",
    stays: forEver,
  },
  balances_position: { holds: "up to where balances are summed", grows: "fixed", stays: forEver },
  search_position: { holds: "up to where the search is filled", grows: "fixed", stays: forEver },
  request_log_retention: { holds: "how many days of it are kept", grows: "fixed", stays: forEver },
  environment: { holds: "sandbox or live", grows: "fixed", stays: forEver },
  installation: { holds: "the installation's secret, wrapped", grows: "fixed", stays: forEver },
  migrations: { holds: "migrations that were applied", grows: "fixed", stays: forEver },
  cell: { holds: "which cell of a fleet this installation is", grows: "fixed", stays: forEver },
  cell_buckets: {
    holds: "the buckets that this cell owns, or has given to another",
    grows: "fixed",
    stays: forEver,
  },
  client_homes: {
    holds: "clients that move or have moved: whether they live here, and where else",
    grows: "merchants",
    stays: forEver,
  },
};

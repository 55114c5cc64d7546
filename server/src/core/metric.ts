/** A number that operators watch. */
export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  /** As Prometheus has it: with its unit, and `_total` for what only grows. */
  readonly name: string;
  readonly help: string;
  /** Only words from closed lists, so that there is a bound to the series: never a client, a payment or a URL. */
  readonly labels: readonly string[];
  /** The process that has it; both when it is left out. */
  readonly of?: "serve" | "work";
}

/** All metrics. docs/operating/metrics.md is printed from it, and rules and dashboards may name no others. */
export const metrics = {
  build: {
    kind: "gauge",
    name: "tollgate_build_info",
    help: "Always 1. Which release runs, from which commit, and the newest migration of its database.",
    labels: ["version", "commit", "migration"],
  },
  ready: {
    kind: "gauge",
    name: "tollgate_ready",
    help: "1 while /readyz says yes, and 0 while it says no.",
    labels: [],
  },
  failing: {
    kind: "gauge",
    name: "tollgate_failing",
    help: "1 while records cannot be written: callbacks, dispute callbacks, or jobs by their name. Three in a row failed, and none was written since.",
    labels: ["what"],
  },
  requests: {
    kind: "counter",
    name: "tollgate_requests_total",
    help: "Calls of merchants that were answered, refused ones included.",
    labels: ["operation", "code", "status"],
    of: "serve",
  },
  requestSeconds: {
    kind: "histogram",
    name: "tollgate_request_duration_seconds",
    help: "From a call's arrival to its answer, waiting for a wallet included.",
    labels: ["operation"],
    of: "serve",
  },
  forwarded: {
    kind: "counter",
    name: "tollgate_forwarded_total",
    help: "Calls, checkout pages and callbacks of merchants that live in another cell: answered there, or told to come later.",
    labels: ["kind", "outcome"],
    of: "serve",
  },
  requestsInFlight: {
    kind: "gauge",
    name: "tollgate_requests_in_flight",
    help: "Calls of merchants that have arrived and are not answered yet.",
    labels: [],
    of: "serve",
  },
  shed: {
    kind: "counter",
    name: "tollgate_requests_shed_total",
    help: "Calls that were told to come later before they were looked at, because no place was free.",
    labels: [],
    of: "serve",
  },
  requestLogDropped: {
    kind: "counter",
    name: "tollgate_request_log_dropped_total",
    help: "Entries of the request log that were dropped, because they could not be written in time.",
    labels: [],
    of: "serve",
  },
  callbacks: {
    kind: "counter",
    name: "tollgate_callbacks_total",
    help: "Callbacks of wallets, by what they were answered. UNKNOWN_EXCEPTION: not recorded, the wallet repeats it.",
    labels: ["connector", "code", "status"],
    of: "serve",
  },
  walletCalls: {
    kind: "counter",
    name: "tollgate_wallet_calls_total",
    help: "Calls to wallets: answered, unclear (an answer of no use), silent (none), or not made (breaker open, or no place).",
    labels: ["connector", "call", "outcome"],
  },
  walletSeconds: {
    kind: "histogram",
    name: "tollgate_wallet_call_duration_seconds",
    help: "How long calls to a wallet took, those without an answer included.",
    labels: ["connector"],
  },
  breakerOpen: {
    kind: "gauge",
    name: "tollgate_wallet_breaker_open",
    help: "1 while this process begins nothing new with a wallet, because it does not answer.",
    labels: ["connector"],
  },
  jobRuns: {
    kind: "counter",
    name: "tollgate_job_runs_total",
    help: "Runs of jobs: written, or fault (the outcome could not be recorded, and is tried again).",
    labels: ["job_name", "outcome"],
  },
  jobsDue: {
    kind: "gauge",
    name: "tollgate_jobs_due",
    help: "Jobs whose time has come and that nobody does yet; counted up to 10,000 of each wallet.",
    labels: ["job_name", "connector"],
    of: "work",
  },
  jobsOldestSeconds: {
    kind: "gauge",
    name: "tollgate_jobs_oldest_due_seconds",
    help: "For how long the oldest of them has been due.",
    labels: ["job_name", "connector"],
    of: "work",
  },
  notificationAttempts: {
    kind: "counter",
    name: "tollgate_notification_attempts_total",
    help: "Notifications that were sent: acknowledged by the merchant, or failed, and to be sent again.",
    labels: ["outcome"],
  },
  notificationSeconds: {
    kind: "histogram",
    name: "tollgate_notification_duration_seconds",
    help: "How long merchants' endpoints took to answer.",
    labels: [],
  },
  notificationsParked: {
    kind: "gauge",
    name: "tollgate_notifications_parked",
    help: "Notifications that wait for a busy, failing or paused endpoint; counted up to 10,000.",
    labels: [],
    of: "work",
  },
  notificationsOldestSeconds: {
    kind: "gauge",
    name: "tollgate_notifications_oldest_parked_seconds",
    help: "For how long the oldest of them waits.",
    labels: [],
    of: "work",
  },
  lagSeconds: {
    kind: "gauge",
    name: "tollgate_lag_seconds",
    help: "Since when this process has not found all done: the merchants' feeds, the search tables, the balances.",
    labels: ["of"],
    of: "work",
  },
  loopAgeSeconds: {
    kind: "gauge",
    name: "tollgate_loop_age_seconds",
    help: "How long ago a worker's loop last came round.",
    labels: ["loop"],
    of: "work",
  },
  balancesForeign: {
    kind: "gauge",
    name: "tollgate_balances_foreign",
    help: "1 while the balances are those of another server: a dump was restored, and `balances rebuild` not run.",
    labels: [],
    of: "work",
  },
  suspense: {
    kind: "gauge",
    name: "tollgate_suspense_minor_units",
    help: "Money in the suspense account: it came after its merchant was told no, and has not gone back.",
    labels: ["currency"],
    of: "work",
  },
  standbyExpected: {
    kind: "gauge",
    name: "tollgate_standby_expected",
    help: "1 while PostgreSQL is set to wait for a synchronous standby before it commits.",
    labels: [],
    of: "work",
  },
  standbyMissing: {
    kind: "gauge",
    name: "tollgate_standby_missing",
    help: "1 while such a standby is expected and none confirms a commit within 3 s.",
    labels: [],
    of: "work",
  },
  certificateEnds: {
    kind: "gauge",
    name: "tollgate_certificate_expires_seconds",
    help: "When the certificate that is shown to merchants and wallets ends, in seconds since 1970. Without TLS there is none.",
    labels: [],
    of: "serve",
  },
  transactions: {
    kind: "counter",
    name: "tollgate_transactions_total",
    help: "Transactions: committed, not committed, or unknown (the connection broke at the commit).",
    labels: ["outcome"],
  },
  troubles: {
    kind: "counter",
    name: "tollgate_database_troubles_total",
    help: "Transactions that failed for want of something in PostgreSQL: disk full, out of memory, too many connections, read only.",
    labels: ["trouble"],
  },
  connections: {
    kind: "gauge",
    name: "tollgate_database_connections",
    help: "Connections of this process to PostgreSQL: used or idle.",
    labels: ["state"],
  },
  connectionsMax: {
    kind: "gauge",
    name: "tollgate_database_connections_max",
    help: "How many it may open.",
    labels: [],
  },
  connectionWaits: {
    kind: "gauge",
    name: "tollgate_database_waiting",
    help: "Callers inside this process that wait for a connection.",
    labels: [],
  },
  clockAgeSeconds: {
    kind: "gauge",
    name: "tollgate_clock_age_seconds",
    help: "How long ago the database last told its time; past 5 s it counts as down.",
    labels: [],
  },
  clockJumps: {
    kind: "counter",
    name: "tollgate_clock_jumps_total",
    help: "How often the database's clock jumped by more than 5 s, and with it leases and expiries.",
    labels: [],
  },
  clockOffset: {
    kind: "gauge",
    name: "tollgate_clock_offset_seconds",
    help: "How far the database's clock is ahead of this machine's. Business goes by the database's.",
    labels: [],
  },
  spans: {
    kind: "counter",
    name: "tollgate_spans_total",
    help: "Parts of traces that were handed to the collector, or dropped because it was too slow, or said no.",
    labels: ["outcome"],
  },
  faults: {
    kind: "counter",
    name: "tollgate_background_faults_total",
    help: "Faults of timers and loops, each of which is in the log.",
    labels: [],
  },
  loopDelaySeconds: {
    kind: "gauge",
    name: "tollgate_event_loop_delay_seconds",
    help: "How late the event loop of Node.js was since the last scrape, by percentile: 50, 99, or 100 (the longest delay).",
    labels: ["percentile"],
  },
  memoryBytes: {
    kind: "gauge",
    name: "tollgate_memory_bytes",
    help: "Memory of the process: all of it (resident), the heap, and what is used of that.",
    labels: ["part"],
  },
  collectionSeconds: {
    kind: "counter",
    name: "tollgate_gc_seconds_total",
    help: "Time spent in garbage collection.",
    labels: [],
  },
  cpuSeconds: {
    kind: "counter",
    name: "tollgate_cpu_seconds_total",
    help: "Processor time of the process.",
    labels: [],
  },
  startedSeconds: {
    kind: "gauge",
    name: "tollgate_start_time_seconds",
    help: "When the process was started, in seconds since 1970.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricKey = keyof typeof metrics;
/** Metrics of one kind. */
export type MetricOf<Kind extends Metric["kind"]> = {
  [Key in MetricKey]: (typeof metrics)[Key]["kind"] extends Kind ? Key : never;
}[MetricKey];

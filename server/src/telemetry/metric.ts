/** A metric for operators. */
export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  /** Name of the metric in Prometheus: with its unit, and `_total` for counters. */
  readonly name: string;
  readonly help: string;
  /**
   * Labels of the metric. Their values are only from closed lists, so that the number of series is bounded: never a
   * client, a payment or a URL.
   */
  readonly labels: readonly string[];
  /** The process that has the metric; `serve` and `work` if omitted. */
  readonly process?: "serve" | "work";
}

/**
 * All metrics. docs/operating/metrics.md is printed from this table, and alert rules and dashboards may use no others.
 */
export const metrics = {
  build: {
    kind: "gauge",
    name: "tollgate_build_info",
    help: "Always 1. The running release, its commit, and the newest migration of its database.",
    labels: ["version", "commit", "migration"],
  },
  ready: {
    kind: "gauge",
    name: "tollgate_ready",
    help: "1 while /readyz succeeds, and 0 while it fails.",
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
    help: "Answered API requests of merchants, including rejected ones.",
    labels: ["operation", "code", "status"],
    process: "serve",
  },
  requestSeconds: {
    kind: "histogram",
    name: "tollgate_request_duration_seconds",
    help: "Latency of API requests, including the wait for a payment provider.",
    labels: ["operation"],
    process: "serve",
  },
  forwarded: {
    kind: "counter",
    name: "tollgate_forwarded_total",
    help: "Requests, checkout pages and callbacks of merchants in another cell: answered there, or rejected with 'retry later'.",
    labels: ["kind", "outcome"],
    process: "serve",
  },
  requestsInFlight: {
    kind: "gauge",
    name: "tollgate_requests_in_flight",
    help: "Requests of merchants in flight.",
    labels: [],
    process: "serve",
  },
  shed: {
    kind: "counter",
    name: "tollgate_requests_shed_total",
    help: "Requests rejected by load shedding before validation.",
    labels: [],
    process: "serve",
  },
  requestLogDropped: {
    kind: "counter",
    name: "tollgate_request_log_dropped_total",
    help: "Dropped entries of the request log, because they could not be written in time.",
    labels: [],
    process: "serve",
  },
  callbacks: {
    kind: "counter",
    name: "tollgate_callbacks_total",
    help: "Callbacks of payment providers, by result. UNKNOWN_EXCEPTION: not recorded, the provider retries it.",
    labels: ["connector", "code", "status"],
    process: "serve",
  },
  providerCalls: {
    kind: "counter",
    name: "tollgate_provider_calls_total",
    help: "Requests to payment providers: answered, unclear (an unusable response), silent (no response), or not made (breaker open, or limit reached).",
    labels: ["connector", "call", "outcome"],
  },
  providerSeconds: {
    kind: "histogram",
    name: "tollgate_provider_call_duration_seconds",
    help: "Duration of requests to a payment provider, including those without a response.",
    labels: ["connector"],
  },
  breakerOpen: {
    kind: "gauge",
    name: "tollgate_provider_breaker_open",
    help: "1 while the circuit breaker of a payment provider is open: no new payments with it.",
    labels: ["connector"],
  },
  jobRuns: {
    kind: "counter",
    name: "tollgate_job_runs_total",
    help: "Runs of jobs: written, or fault (the outcome could not be recorded, and is retried).",
    labels: ["job_name", "outcome"],
  },
  jobsDue: {
    kind: "gauge",
    name: "tollgate_jobs_due",
    help: "Due jobs that no process has leased; counted up to 10,000 of each payment provider.",
    labels: ["job_name", "connector"],
    process: "work",
  },
  jobsOldestSeconds: {
    kind: "gauge",
    name: "tollgate_jobs_oldest_due_seconds",
    help: "How long the oldest of them has been due.",
    labels: ["job_name", "connector"],
    process: "work",
  },
  notificationAttempts: {
    kind: "counter",
    name: "tollgate_notification_attempts_total",
    help: "Delivery attempts of webhooks: acknowledged by the merchant, or failed and retried.",
    labels: ["outcome"],
  },
  notificationSeconds: {
    kind: "histogram",
    name: "tollgate_notification_duration_seconds",
    help: "Response time of merchants' endpoints.",
    labels: [],
  },
  notificationsParked: {
    kind: "gauge",
    name: "tollgate_notifications_parked",
    help: "Webhooks that wait for a busy, failing or paused endpoint; counted up to 10,000.",
    labels: [],
    process: "work",
  },
  notificationsOldestSeconds: {
    kind: "gauge",
    name: "tollgate_notifications_oldest_parked_seconds",
    help: "How long the oldest of them has waited.",
    labels: [],
    process: "work",
  },
  lagSeconds: {
    kind: "gauge",
    name: "tollgate_lag_seconds",
    help: "Time since this process last completed all pending work on the event feeds, the search tables or the balances.",
    labels: ["of"],
    process: "work",
  },
  loopAgeSeconds: {
    kind: "gauge",
    name: "tollgate_loop_age_seconds",
    help: "Time since a worker's loop last ran.",
    labels: ["loop"],
    process: "work",
  },
  balancesForeign: {
    kind: "gauge",
    name: "tollgate_balances_foreign",
    help: "1 while the balances are those of another server: a dump was restored, and `balances rebuild` was not run.",
    labels: [],
    process: "work",
  },
  suspense: {
    kind: "gauge",
    name: "tollgate_suspense_minor_units",
    help: "Money in the suspense account: it arrived after its payment had failed for the merchant, and was not returned yet.",
    labels: ["currency"],
    process: "work",
  },
  standbyExpected: {
    kind: "gauge",
    name: "tollgate_standby_expected",
    help: "1 while PostgreSQL is configured to wait for a synchronous standby before it commits.",
    labels: [],
    process: "work",
  },
  standbyMissing: {
    kind: "gauge",
    name: "tollgate_standby_missing",
    help: "1 while such a standby is expected and none confirms a commit within 3 s.",
    labels: [],
    process: "work",
  },
  certificateEnds: {
    kind: "gauge",
    name: "tollgate_certificate_expires_seconds",
    help: "Expiry of the certificate for merchants and payment providers, in seconds since 1970. Absent without TLS.",
    labels: [],
    process: "serve",
  },
  transactions: {
    kind: "counter",
    name: "tollgate_transactions_total",
    help: "Transactions: committed, not committed, or unknown (the connection broke at the commit).",
    labels: ["outcome"],
  },
  batchItems: {
    kind: "counter",
    name: "tollgate_batch_items_total",
    help: "Reads and writes that can be batched, by whether they shared their statement with others (shared) or not (single).",
    labels: ["access", "batch"],
  },
  troubles: {
    kind: "counter",
    name: "tollgate_database_troubles_total",
    help: "Transactions that failed for lack of a PostgreSQL resource: disk full, out of memory, too many connections, read only.",
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
    help: "Maximum number of its connections.",
    labels: [],
  },
  connectionWaits: {
    kind: "gauge",
    name: "tollgate_database_waiting",
    help: "Callers in this process that wait for a connection.",
    labels: [],
  },
  clockAgeSeconds: {
    kind: "gauge",
    name: "tollgate_clock_age_seconds",
    help: "Age of the last time sample from the database; above 5 s the database counts as down.",
    labels: [],
  },
  clockJumps: {
    kind: "counter",
    name: "tollgate_clock_jumps_total",
    help: "Number of jumps of the database's clock by more than 5 s, which move leases and expiries.",
    labels: [],
  },
  clockOffset: {
    kind: "gauge",
    name: "tollgate_clock_offset_seconds",
    help: "How far the database's clock is ahead of this machine's. Business time is the database's.",
    labels: [],
  },
  spans: {
    kind: "counter",
    name: "tollgate_spans_total",
    help: "Spans that were sent to the collector, or dropped because it was too slow or rejected them.",
    labels: ["outcome"],
  },
  faults: {
    kind: "counter",
    name: "tollgate_background_faults_total",
    help: "Faults of background timers and loops; each is in the log.",
    labels: [],
  },
  loopDelaySeconds: {
    kind: "gauge",
    name: "tollgate_event_loop_delay_seconds",
    help: "Event-loop lag of Node.js since the last scrape, by percentile: 50, 99, or 100 (the longest delay).",
    labels: ["percentile"],
  },
  memoryBytes: {
    kind: "gauge",
    name: "tollgate_memory_bytes",
    help: "Memory of the process: resident, total heap, and used heap.",
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
    help: "CPU time of the process.",
    labels: [],
  },
  startedSeconds: {
    kind: "gauge",
    name: "tollgate_start_time_seconds",
    help: "Start time of the process, in seconds since 1970.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricKey = keyof typeof metrics;
/** Metrics of one kind. */
export type MetricOf<Kind extends Metric["kind"]> = {
  [Key in MetricKey]: (typeof metrics)[Key]["kind"] extends Kind ? Key : never;
}[MetricKey];

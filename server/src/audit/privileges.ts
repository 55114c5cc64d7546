/**
 * A group role of the database. Each login is a member of one. `admin` has the privileges of `operator` and `finance`,
 * and each of these has the privileges of `support`.
 */
export const databaseRoles = ["app", "work", "support", "operator", "finance", "admin", "console"] as const;
export type DatabaseRole = (typeof databaseRoles)[number];

/** Database roles of staff, and of the console's login, which serves them. */
export const staffDatabaseRoles = ["support", "operator", "finance", "admin", "console"] as const;

/** Changes of a table that need approval in live, and the acts of the command line and the console that make them. */
interface ApprovalRule {
  /** The operations that need approval; with columns if only a change of these columns does. */
  readonly operations: string;
  readonly acts: readonly string[];
}

/**
 * The privileges that a table grants to each role, without inherited ones. A privilege with columns is limited to these
 * columns.
 */
interface TablePrivileges extends Readonly<Partial<Record<DatabaseRole, string>>> {
  /**
   * How writes of staff logins are recorded for the audit: row by row, or a bulk statement by the number of its rows
   * and their SHA-256.
   */
  readonly recorded?: "rows" | "statements";
  readonly approval?: ApprovalRule;
}

/**
 * Database privileges in live: role × table × privilege × recorded × needs approval. A test compares them with
 * PostgreSQL's catalogue, and a page of the documentation is generated from them. Privileges that are not listed are
 * not granted. A superuser and the owner of the tables can do everything.
 */
export const privileges: Readonly<Record<string, TablePrivileges>> = {
  archives: { support: "select" },
  approval_requests: {
    support: "select",
    operator:
      "insert (about_client, act, after, asked_by, before, changes, reason, subject), update (approved_by, used_at)",
    finance:
      "insert (about_client, act, after, asked_by, before, changes, reason, subject), update (approved_by, used_at)",
    recorded: "rows",
  },
  audit: {
    app: "insert (about_client, act, actor, actor_kind, after, before, reason, role, subject), select",
    support: "select",
    operator: "insert (about_client, act, actor, actor_kind, after, before, reason, role, subject)",
    finance: "insert (about_client, act, actor, actor_kind, after, before, reason, role, subject)",
    console: "insert (about_client, act, actor, actor_kind, after, before, reason, role, subject)",
  },
  authorization_events: { app: "insert, select", support: "select" },
  authorizations: { app: "insert, select, update", support: "select" },
  balances: { app: "select", support: "select" },
  balances_position: { app: "select", support: "select" },
  bank_accounts: {
    support:
      "select (account_id, approved_at, approved_by, approved_login, asked_at, asked_by, asked_login, bic, bucket, client_id, currency, ended_at, holder, iban_shown, usable_from, wait_hours)",
    finance: "insert, select, update",
    recorded: "rows",
  },
  bank_files: { support: "select", finance: "insert", recorded: "rows" },
  bank_holidays: { support: "select", finance: "delete, insert", recorded: "rows" },
  bank_lines: { support: "select", finance: "insert", recorded: "statements" },
  banks: {
    finance: "insert, select, update",
    recorded: "rows",
    approval: { operations: "insert, update, delete", acts: ["payout bank set"] },
  },
  brands: { app: "delete, insert, select, update", support: "select" },
  breaks: {
    support: "select",
    finance:
      "insert (assigned_at, assigned_to, connector, currency, effect_at, first_seen_at, kind, last_seen_at, payment_id, reference, subject, sums, write_off_account, written_off_minor), update (assigned_at, assigned_to, closed_at, closed_by, closing_reason, last_seen_at, payment_id, resolved_at, sums, written_off_minor)",
    console: "update (assigned_at, assigned_to, closed_at, closed_by, closing_reason)",
    recorded: "rows",
    approval: { operations: "update (write_off_count, written_off_minor)", acts: ["break write-off"] },
  },
  captures: { app: "insert, select, update", support: "select" },
  cell: { app: "select, update (directory_version)", support: "select" },
  cell_buckets: { app: "select", support: "select" },
  client_homes: { app: "select", support: "select" },
  client_keys: {
    app: "select",
    support: "select",
    operator: "insert, update (revoked_at)",
    recorded: "rows",
    approval: { operations: "insert, update, delete", acts: ["merchant key add", "merchant key revoke"] },
  },
  clients: {
    app: "select, update (gateway_key_version)",
    support: "select",
    operator:
      "insert, update (fee_basis_points, gateway_key_version, link_schemes, name, rate_burst, rate_per_second, revision, status, time_tolerance_seconds)",
    console:
      "update (fee_basis_points, gateway_key_version, link_schemes, name, rate_burst, rate_per_second, status, time_tolerance_seconds)",
    recorded: "rows",
    approval: {
      operations: "delete, update (bucket, client_id, fee_basis_points, gateway_key_version, status)",
      acts: ["merchant set", "merchant suspend", "merchant resume", "merchant gateway-key"],
    },
  },
  clock_turns: { app: "select" },
  clocks: { app: "select", support: "select" },
  closed_months: { support: "select", finance: "insert", recorded: "rows" },
  closed_sums: { support: "select", finance: "insert", recorded: "statements" },
  connectors: {
    app: "select",
    work: "update (silent_seen_at)",
    support: "select",
    operator: "insert, update",
    console: "update (disabled_at, gateway_key_version)",
    recorded: "rows",
    approval: {
      operations:
        "insert, delete, update (ca_file, client_certificate_file, client_key_file, gateway_key_version, name, other_public_key, partner_id, public_key, simulator, url)",
      acts: ["connector add", "connector set", "connector gateway-key"],
    },
  },
  console_approvals: {
    support: "select",
    console: "insert (act, approved_by, requested_by, subject)",
    recorded: "rows",
  },
  dispute_events: { app: "insert, select", support: "select" },
  dispute_evidence: { app: "delete, insert, select" },
  disputes: { app: "insert, select, update", support: "select" },
  environment: { app: "select", support: "select" },
  exchange_quotes: {
    support: "select",
    finance: "insert",
    recorded: "rows",
    approval: { operations: "insert, update, delete", acts: ["fx rate set"] },
  },
  fee_rules: {
    app: "select",
    support: "select",
    finance: "insert",
    recorded: "rows",
    approval: { operations: "insert, update, delete", acts: ["fee set"] },
  },
  feed_heads: { app: "select" },
  gateway_keys: {
    app: "select",
    support: "select (created_at, ed25519_public_key, held_as, public_key, version)",
    admin:
      "delete, insert, select (wrapped_ed25519_private_key, wrapped_private_key), update (wrapped_ed25519_private_key, wrapped_private_key)",
    recorded: "rows",
    approval: {
      operations: "insert, delete, update (ed25519_public_key, held_as, public_key, version)",
      acts: ["gateway-key add", "gateway-key retire"],
    },
  },
  installation: {
    app: "select",
    admin: "insert, select (wrapped_secret), update (wrapped_secret)",
    recorded: "rows",
  },
  jobs: {
    app: "delete, insert, select, update",
    support: "select",
    operator:
      "insert (bucket, client_id, due_at, follows_merchant_clock, job, queue, subject_id), update (attempts, due_at)",
    finance: "insert",
    console:
      "insert (bucket, client_id, due_at, follows_merchant_clock, job, queue, subject_id), update (attempts, due_at)",
    recorded: "rows",
  },
  key_uses: { app: "delete, insert, select, update", support: "select" },
  last_changes: { app: "insert, select, update" },
  ledger_transfers: {
    app: "insert, select",
    support: "select",
    finance: "insert",
    recorded: "rows",
    // Only postings with the effect `write-off` need approval. A record backs each other posting.
    approval: { operations: "insert", acts: ["break write-off"] },
  },
  migrations: { app: "select", support: "select" },
  notification_attempts: { app: "insert, select", support: "select" },
  notification_faults: { app: "select" },
  notifications: {
    app: "insert, select, update",
    support: "select",
    operator: "update (delivered_at, status)",
    finance: "insert",
    console: "update (delivered_at, status)",
    recorded: "rows",
  },
  notify_urls: {
    app: "delete, insert, select, update",
    support: "select",
    operator: "delete, insert, update",
    recorded: "rows",
    // A merchant sets its own addresses by API request, which needs no approval; a change by staff does.
    approval: { operations: "insert, update, delete", acts: ["merchant set"] },
  },
  paused_queues: { app: "delete, insert, select, update", support: "select" },
  changed_payments_queue: { app: "insert" },
  order_data: { app: "insert, select, update (data)" },
  payment_counts: { app: "select" },
  payment_events: { app: "insert, select", support: "select" },
  payment_sessions: { app: "insert, select" },
  payments: { app: "insert, select, update", support: "select" },
  payout_entries: { support: "select", finance: "insert", recorded: "statements" },
  payout_file_lines: {
    support: "select",
    finance:
      "insert (account_id, amount_minor, attempt, batch_id, bucket, client_id, currency, file_id, payout_id), update (dropped_for)",
    recorded: "rows",
  },
  // One login plans a payout file and another approves it. The table has its own triggers for this rule.
  payout_files: {
    support: "select",
    finance:
      "insert (bank, created_at, currency, execution_day, file_id, format, from_bic, from_holder, from_iban, is_recovered, payout_count, planned_by, sha256, sum_minor), update (approved_by, approved_digest, handed_over_at, sent_count, sent_minor, sent_sha256, status, void_requested_by, voided_by)",
    recorded: "rows",
  },
  payout_holds: {
    support: "select",
    finance:
      "insert (bucket, client_id, held_at, held_by, held_login, reason), update (released_at, released_by, released_login)",
    recorded: "rows",
    approval: { operations: "delete, update (released_at)", acts: ["payout release"] },
  },
  payout_reports: { support: "select", finance: "insert", recorded: "statements" },
  // One login requests a resynchronisation and another confirms it. The table has its own trigger for this rule.
  payout_resyncs: {
    support: "select",
    finance: "insert (bank, newest_file, requested_by), update (confirmed_by)",
    recorded: "rows",
  },
  // Payouts need no approval of their own, because each row is a line of an approved payout file.
  payouts: {
    app: "select",
    support: "select",
    finance:
      "insert (account_id, amount_minor, bank, batch_id, bucket, client_id, created_at, currency, end_to_end_id, file_id, payout_id, status), update (finished_at, reason_code, sent_at, status)",
    recorded: "rows",
  },
  reconciliation_runs: {
    support: "select",
    finance: "insert (bank_file_count, break_count, connector, day, provider_files, ran_at)",
    recorded: "statements",
  },
  refunds: { app: "insert, select, update", support: "select" },
  registrations: { app: "insert, select, update", support: "select" },
  request_log: {
    app: "insert, select (at, bucket, client_id, duration_us, key_version, path, request_id, result_code)",
  },
  request_log_retention: { admin: "update", recorded: "rows" },
  reserves: { app: "insert, select, update", support: "select", finance: "insert, update", recorded: "rows" },
  reversals: { app: "insert, select, update", support: "select" },
  search_payments: { app: "select" },
  search_position: { app: "select" },
  settlement_batches: {
    app: "select",
    support: "select",
    finance: "insert, update (bank, carried_to, payout_id, released_in, status, waits_for)",
    recorded: "rows",
  },
  settlement_files: { support: "select", finance: "insert", recorded: "rows" },
  settlement_items: { app: "select", support: "select", finance: "insert", recorded: "statements" },
  settlement_payout_rows: { support: "select", finance: "insert", recorded: "statements" },
  settlement_repeats: { support: "select", finance: "insert", recorded: "statements" },
  settlement_rows: { support: "select", finance: "insert", recorded: "statements" },
  settlement_terms: {
    support: "select",
    finance: "insert, update",
    recorded: "rows",
    approval: { operations: "insert, update, delete", acts: ["payout terms set"] },
  },
  tokens: { app: "insert, select, update", support: "select" },
  universe_limits: { support: "select", admin: "update", recorded: "rows" },
  provider_accounts: {
    app: "select",
    support: "select",
    operator: "delete, insert, update (account, set_at)",
    console: "delete, insert, update (account, set_at)",
    recorded: "rows",
    approval: {
      operations: "insert, update, delete",
      acts: ["connector account set", "connector account remove"],
    },
  },
  provider_costs: { app: "select", support: "select", finance: "insert", recorded: "rows" },
  provider_events: { app: "insert, select", support: "select" },
  provider_registrations: { app: "insert, select, update", support: "select" },
};

/** Privileges that the sandbox has beyond those of live: test clocks. */
export const sandboxPrivileges: Readonly<Record<string, TablePrivileges>> = {
  clock_turns: { app: "insert, select, update" },
  clocks: { app: "insert, select, update", support: "select" },
  notification_faults: { app: "insert, select, update" },
};

/** Memberships of roles: a role has the privileges of the roles that are listed for it. */
export const memberships: Readonly<Record<DatabaseRole, readonly DatabaseRole[]>> = {
  app: [],
  work: ["app"],
  support: [],
  operator: ["support"],
  finance: ["support"],
  admin: ["operator", "finance"],
  console: ["support"],
};

/** Functions that staff roles may run, in addition to those that every role may run. */
export const staffFunctions: Readonly<Record<string, readonly DatabaseRole[]>> = {
  approval_digest: ["operator", "finance"],
  changes_to_approve: ["operator", "finance", "console"],
  closings_around: ["support"],
  payout_file_digest: ["finance"],
  payouts_are_held: ["finance"],
  write_off_break: ["finance", "console"],
};

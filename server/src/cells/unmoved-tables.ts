/**
 * Tables with merchants' rows that do not move to another cell with the merchant, with the reason. All other tables
 * with a `client_id` move.
 */
export const unmovedTables: Readonly<Record<string, string>> = {
  balances: "sums of the ledger, which the new home calculates with its own transaction ids",
  payment_counts: "charts are filled again from the copied payments",
  search_payments: "lists are filled again from the copied payments",
  request_log:
    "requests stay in the cell that answered them, until they are deleted (default: after 30 days)",
  universes: "an isolated test merchant never moves to another cell",
};

/** Columns that are not copied when a merchant moves, because their values belong to the database server. */
export const uncopiedColumns: Readonly<Record<string, readonly string[]>> = {
  // `transaction` is a transaction id of this server; the roll-up of balances uses it.
  ledger_transfers: ["transaction"],
};

/** Append-only tables: PostgreSQL rejects a deletion of their rows, so the mover keeps rows that it has copied. */
export const appendOnlyTables: readonly string[] = ["fee_rules", "ledger_transfers"];

/** Tables that are copied only after the fence is closed, not in earlier passes. */
export const tablesCopiedLast: readonly string[] = [
  // If jobs were copied earlier, workers of the new home would lease them in vain.
  "jobs",
];

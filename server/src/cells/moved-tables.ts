/**
 * Tables with merchants' rows that do not move with a merchant, with the reason. All other tables with a `client_id`
 * move.
 */
export const tablesThatStay: Readonly<Record<string, string>> = {
  balances: "sums of the ledger, which the new home calculates with its own transaction ids",
  payment_counts: "charts are filled again from the copied payments",
  search_payments: "lists are filled again from the copied payments",
  request_log:
    "requests stay in the cell that answered them, until they are deleted (default: after 30 days)",
  universes: "an isolated test merchant never moves to another cell",
};

/** Columns that belong to a database server and not to the row. */
export const columnsThatStay: Readonly<Record<string, readonly string[]>> = {
  // The roll-up of balances uses this server's own transaction ids.
  ledger_transfers: ["transaction"],
};

/** Append-only tables: their rows must not be deleted, and need not be. */
export const appendOnlyTables: readonly string[] = ["fee_rules", "ledger_transfers"];

/** Tables that are copied completely behind the fence, and not before. */
export const tablesCopiedLast: readonly string[] = [
  // Workers of the new home would lease jobs that were copied too early, in vain.
  "jobs",
];

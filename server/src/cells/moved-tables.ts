/** Tables with merchants' rows that do not move with a merchant, and why. Every other table with a `client_id` does. */
export const tablesThatStay: Readonly<Record<string, string>> = {
  balances: "sums of the ledger, which the new home rolls up by its own transaction numbers",
  payment_counts: "charts are filled anew, from payments that have come",
  search_payments: "lists are filled anew, from payments that have come",
  request_log: "calls stay where they were answered, until they are deleted; 30 days, unless said otherwise",
  universes: "a universe lives and ends in one cell",
};

/** Columns that belong to a server and not to the row. */
export const columnsThatStay: Readonly<Record<string, readonly string[]>> = {
  // The roll-up goes by the numbers of this server's own transactions.
  ledger_transfers: ["transaction"],
};

/** Rows are only ever added to these: nothing may be deleted there, and nothing has to be. */
export const appendOnlyTables: readonly string[] = ["fee_rules", "ledger_transfers"];

/** Copied whole, behind the fence, and not before. */
export const tablesCopiedLast: readonly string[] = [
  // Workers of the new home would take jobs up that have come too early, in vain, and their leases would run.
  "jobs",
];

const columns =
  "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate";

/** A provider's settlement file. The last four fields of a row may be left out: they are then empty. */
export function settlementCsv(rows: readonly string[]): string {
  const separatorCount = columns.split(",").length - 1;
  const padded = rows.map((row) => row + ",".repeat(separatorCount - (row.split(",").length - 1)));
  return [columns, ...padded, ""].join("\n");
}

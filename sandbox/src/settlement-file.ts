import type { Movement } from "./money-book.ts";
import { parseTime } from "./wire-time.ts";

const columns = "kind,reference,operationReference,paymentId,currency,amountMinor,time";

/** Half-open: from the first moment on, up to but without the second. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The settlement file, for the operator's reconciliation: CSV as in RFC 4180. */
export function settlementFile(movements: readonly Movement[], { fromMs, untilMs }: Interval): string {
  const rows = movements.flatMap((movement) => {
    const atMs = parseTime(movement.at) ?? 0;
    return atMs >= fromMs && atMs < untilMs ? [row(movement)] : [];
  });
  return [columns, ...rows, ""].join("\r\n");
}

function row({ kind, reference, operationReference, paymentId, amount, at }: Movement): string {
  return [kind, reference, operationReference, paymentId, amount.currency, amount.value, at]
    .map(cell)
    .join(",");
}

/** A reference may hold any sign that can be printed, a comma and a quotation mark among them. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

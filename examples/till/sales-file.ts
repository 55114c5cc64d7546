import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Amount } from "../../clients/typescript/src/generated/package.ts";
import type { RefundState, SaleOutcome, SaleMode } from "./sale.ts";

/** Records that must survive a crash, in order. */
export type SaleRecord =
  | {
      readonly kind: "sale";
      readonly at: string;
      readonly id: string;
      readonly way: SaleMode;
      readonly amount: Amount;
      readonly place?: string;
    }
  | { readonly kind: "cancel"; readonly at: string; readonly id: string }
  | {
      readonly kind: "settled";
      readonly at: string;
      readonly id: string;
      readonly outcome: Exclude<SaleOutcome, "unknown">;
      readonly paymentId?: string;
      readonly resultCode?: string;
    }
  | {
      readonly kind: "refund";
      readonly at: string;
      readonly id: string;
      readonly refundId: string;
      readonly amount: Amount;
    }
  | {
      readonly kind: "refund-settled";
      readonly at: string;
      readonly id: string;
      readonly refundId: string;
      readonly state: Extract<RefundState, "done" | "refused">;
      readonly resultCode?: string;
    }
  | { readonly kind: "shift"; readonly at: string };

/** An append-only file with one JSON line per record. */
export interface SalesFile {
  /** The lines that the file had when it was opened. */
  readonly records: readonly SaleRecord[];
  /** Returns after the line is on disk (fsync). */
  append(line: SaleRecord): void;
  close(): void;
}

export function openSalesFile(path: string): SalesFile {
  const file = openSync(path, "a+", 0o600);
  const text = readFileSync(file, "utf8");
  // An incomplete last line was written during a crash, before any request depended on it.
  const completeLines = text.slice(0, text.lastIndexOf("\n") + 1);
  if (completeLines.length < text.length) ftruncateSync(file, Buffer.byteLength(completeLines));
  return {
    records: completeLines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as SaleRecord),
    append(line) {
      writeSync(file, `${JSON.stringify(line)}\n`);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

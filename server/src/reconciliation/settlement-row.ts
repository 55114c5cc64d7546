import { isCurrency } from "../core/currency.ts";
import { FileProblem } from "../core/file-problem.ts";
import type { Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { receivableRowKinds, isReceivableRowKind } from "../ledger/bank-effects.ts";
import { newCsvReader, type CsvRecord } from "./csv-reader.ts";

/** Kinds of movements of a payment at a provider. At the provider, our reversals and cancels are refunds. */
const paymentKinds = ["payment", "capture", "refund", "chargeback", "chargeback_reversal"] as const;
const movementKinds = [...paymentKinds, ...receivableRowKinds] as const;

/** All kinds of movements that a provider reports. */
export type MovementKind = (typeof movementKinds)[number];

/** A movement of money in a provider's settlement file. */
export interface SettlementRow {
  readonly line: number;
  readonly kind: MovementKind;
  /** The order's reference; empty for movements without a payment. */
  readonly reference: string;
  /** Reference of the movement: of the order, the capture or the refund. */
  readonly operationReference: string;
  readonly paymentId: string;
  /** The amount, which is positive, except for a returned fee and a debit adjustment. */
  readonly amount: Money;
  readonly at: Date;
}

export interface SettlementReader {
  read(text: string): readonly SettlementRow[];
  end(): readonly SettlementRow[];
  line(): number;
}

const columns = [
  "kind",
  "reference",
  "operationReference",
  "paymentId",
  "currency",
  "amountMinor",
  "time",
] as const;

type Column = (typeof columns)[number];
type ColumnIndexes = Readonly<Record<Column, number>> & { readonly fieldCount: number };

const recordLengthMax = 4_096;

/** Parses a settlement file by column names, in any order; other columns are ignored. */
export function newSettlementReader(): SettlementReader {
  const csv = newCsvReader(recordLengthMax);
  let columnIndexes: ColumnIndexes | undefined;

  const rowsOf = (records: readonly CsvRecord[]): readonly SettlementRow[] => {
    const [header, ...others] = records;
    if (columnIndexes || !header) return records.map((record) => toRow(record, columnIndexes));
    columnIndexes = readHeader(header);
    return others.map((record) => toRow(record, columnIndexes));
  };

  return {
    read: (text) => rowsOf(csv.read(text)),
    end() {
      const rows = rowsOf(csv.end());
      if (!columnIndexes) throw new FileProblem(1, "The file is empty, without a header.");
      return rows;
    },
    line: csv.line,
  };
}

function readHeader({ line, fields }: CsvRecord): ColumnIndexes {
  const indexOf = (column: Column): number => {
    const index = fields.indexOf(column);
    if (index < 0) throw new FileProblem(line, `The header has no column ${column}.`);
    if (fields.lastIndexOf(column) !== index)
      throw new FileProblem(line, `The header has the column ${column} twice.`);
    return index;
  };
  const columnIndexes = columns.map((column) => [column, indexOf(column)] as const);
  return { ...(Object.fromEntries(columnIndexes) as Record<Column, number>), fieldCount: fields.length };
}

function toRow({ line, fields }: CsvRecord, columnIndexes: ColumnIndexes | undefined): SettlementRow {
  if (!columnIndexes || fields.length !== columnIndexes.fieldCount) {
    throw new FileProblem(
      line,
      `The row has ${fields.length} fields, but the header has ${columnIndexes?.fieldCount}.`,
    );
  }
  const valueOf = (column: Column): string => fields[columnIndexes[column]] ?? "";
  const problemOf = (column: Column, rule: string): FileProblem =>
    new FileProblem(line, `${column} ${rule}; it is ${JSON.stringify(valueOf(column).slice(0, 40))}.`);
  const name = (column: Column, mayLack = false): string => {
    if (mayLack && valueOf(column) === "") return "";
    if (!/^\P{C}{1,128}$/u.test(valueOf(column)))
      throw problemOf(column, "must be text of 1 to 128 characters");
    return valueOf(column);
  };

  const kind = movementKinds.find((each) => each === valueOf("kind"));
  if (!kind) throw problemOf("kind", `must be one of ${movementKinds.join(", ")}`);
  const currency = valueOf("currency");
  if (!isCurrency(currency)) throw problemOf("currency", "must be an ISO 4217 code");
  const amountMinor = valueOf("amountMinor");
  const mayBeNegative = kind === "fee" || kind === "adjustment";
  if (!(mayBeNegative ? /^-?[1-9][0-9]{0,15}$/ : /^[1-9][0-9]{0,15}$/).test(amountMinor))
    throw problemOf("amountMinor", "must be a whole number of minor units from 1, with at most 16 digits");
  const time = valueOf("time");
  const atMs = time[10] === "T" ? parseRequestTime(time) : undefined;
  if (atMs === undefined) throw problemOf("time", "must be a time in ISO 8601 with a zone");
  return {
    line,
    kind,
    reference: name("reference", isReceivableRowKind(kind)),
    operationReference: name("operationReference"),
    paymentId: name("paymentId", isReceivableRowKind(kind)),
    amount: { currency, minor: BigInt(amountMinor) },
    at: new Date(atMs),
  };
}

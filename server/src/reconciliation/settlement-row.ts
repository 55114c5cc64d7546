import { isAccountingDay } from "../core/accounting-day.ts";
import { isCurrency } from "../core/currency.ts";
import { FileProblem } from "../core/file-problem.ts";
import type { Money } from "../core/money.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { receivableRowKinds, isReceivableRowKind } from "../ledger/bank-effects.ts";
import { newCsvReader, type CsvRecord } from "./csv-reader.ts";

/** Kinds of movements of a payment at a provider. At the provider, our reversals and cancels are refunds. */
const paymentKinds = [
  "payment",
  "capture",
  "refund",
  "refund_reversal",
  "chargeback",
  "chargeback_reversal",
] as const;
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
  /** For a fee from the column `feeMinor`: the kind of the row that has the column. */
  readonly feeOf: MovementKind | undefined;
  /** The provider's payout that contains the row; empty if the file does not say. */
  readonly payoutId: string;
  /** The day on which the provider pays the row out, as `yyyy-MM-dd`. */
  readonly valueDate: string | undefined;
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
  "feeCurrency",
  "feeMinor",
  "payoutId",
  "valueDate",
] as const;

type Column = (typeof columns)[number];
type ColumnIndexes = Readonly<Record<Column, number>> & { readonly fieldCount: number };

const recordLengthMax = 4_096;

/**
 * Parses a settlement file by column names, in any order; other columns are ignored. A row with a fee becomes two rows:
 * the movement, and a row of kind `fee`.
 */
export function newSettlementReader(): SettlementReader {
  const csv = newCsvReader(recordLengthMax);
  let columnIndexes: ColumnIndexes | undefined;

  const rowsOf = (records: readonly CsvRecord[]): readonly SettlementRow[] => {
    const [header, ...others] = records;
    if (columnIndexes || !header) return records.flatMap((record) => toRows(record, columnIndexes));
    columnIndexes = readHeader(header);
    return others.flatMap((record) => toRows(record, columnIndexes));
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

function toRows(record: CsvRecord, columnIndexes: ColumnIndexes | undefined): readonly SettlementRow[] {
  const { line, fields } = record;
  if (!columnIndexes || fields.length !== columnIndexes.fieldCount) {
    throw new FileProblem(
      line,
      `The row has ${fields.length} fields, but the header has ${columnIndexes?.fieldCount}.`,
    );
  }
  const row = toMovement(record, columnIndexes);
  const fee = feeOf(row, newFieldReader(record, columnIndexes));
  return fee ? [row, fee] : [row];
}

/** Reads the fields of a record by column name. */
interface FieldReader {
  valueOf(column: Column): string;
  problemOf(column: Column, rule: string): FileProblem;
}

function newFieldReader({ line, fields }: CsvRecord, columnIndexes: ColumnIndexes): FieldReader {
  const valueOf = (column: Column): string => fields[columnIndexes[column]] ?? "";
  const problemOf = (column: Column, rule: string): FileProblem =>
    new FileProblem(line, `${column} ${rule}; it is ${JSON.stringify(valueOf(column).slice(0, 40))}.`);
  return { valueOf, problemOf };
}

/** The fee in the columns of a row, as a row of its own; undefined if the columns are empty or the fee is zero. */
function feeOf(row: SettlementRow, { valueOf, problemOf }: FieldReader): SettlementRow | undefined {
  const [currency, feeMinor] = [valueOf("feeCurrency"), valueOf("feeMinor")];
  if (currency === "" && feeMinor === "") return undefined;
  if (row.kind === "fee") throw problemOf("feeMinor", "must be empty in a row of kind fee");
  if (!isCurrency(currency)) throw problemOf("feeCurrency", "must be an ISO 4217 code");
  if (!/^(0|-?[1-9][0-9]{0,15})$/.test(feeMinor))
    throw problemOf("feeMinor", "must be a whole number of minor units, with at most 16 digits");
  if (feeMinor === "0") return undefined;
  // A refund and its reversal have one reference, so the kind keeps their fees apart.
  const operationReference = `${row.kind} ${row.operationReference}`;
  return {
    ...row,
    kind: "fee",
    operationReference,
    amount: { currency, minor: BigInt(feeMinor) },
    feeOf: row.kind,
  };
}

function toMovement(record: CsvRecord, columnIndexes: ColumnIndexes): SettlementRow {
  const { line } = record;
  const { valueOf, problemOf } = newFieldReader(record, columnIndexes);
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
  const valueDate = valueOf("valueDate");
  if (valueDate !== "" && !isAccountingDay(valueDate))
    throw problemOf("valueDate", "must be a calendar day such as 2026-11-15");
  return {
    line,
    kind,
    reference: name("reference", isReceivableRowKind(kind)),
    operationReference: name("operationReference"),
    paymentId: name("paymentId", isReceivableRowKind(kind)),
    amount: { currency, minor: BigInt(amountMinor) },
    at: new Date(atMs),
    feeOf: undefined,
    payoutId: name("payoutId", true),
    valueDate: valueDate || undefined,
  };
}

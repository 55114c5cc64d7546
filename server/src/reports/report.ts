import { accountingDayOf } from "../core/accounting-day.ts";
import { csvText } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { pairText } from "../ledger/exchange.ts";
import type { Changed } from "../settlement/batch.ts";
import { wireTime } from "../core/request-time.ts";

/**
 * The kinds of reports, with the names in their file names: transactions, a settlement batch, and the sums of the
 * batch.
 */
export const reportNames = ["TRANSACTION_DETAIL", "SETTLEMENT_DETAIL", "SETTLEMENT_SUMMARY"] as const;
export type ReportName = (typeof reportNames)[number];

export function isReportName(text: string): text is ReportName {
  return (reportNames as readonly string[]).includes(text);
}

/** The last line of each report; a file without it is incomplete. */
export const reportEnd = "<END>";

/** Transaction type of each ledger effect in reports. Effects of payouts are in no report. */
export const transactionTypes: Readonly<Record<string, string>> = {
  payment: "PAYMENT",
  capture: "CAPTURE",
  refund: "REFUND",
  cancel: "CANCEL",
  "dispute freeze": "DISPUTE",
  "dispute debit": "DISPUTE",
  "dispute release": "DISPUTE_REVERSAL",
  "reserve hold": "RESERVE",
  "reserve release": "RESERVE_RELEASED",
};

/** Transaction type of all other effects on the merchant's balance. */
const otherType = "ADJUSTMENT_FEE";

export function transactionTypeOf(effect: string): string {
  return transactionTypes[effect] ?? otherType;
}

/** A movement with its record. Amounts are changes of the merchant's balance, in minor units. */
export interface ReportRow {
  readonly clientId: string;
  readonly type: string;
  /** The gateway's id of the record. */
  readonly transactionId: string;
  readonly requestId: string | undefined;
  /** The request id of the payment, if the record is not the payment itself. */
  readonly originalRequestId: string | undefined;
  readonly originalId: string | undefined;
  readonly providerReference: string | undefined;
  readonly orderDescription: string | undefined;
  readonly paymentMethodType: string | undefined;
  readonly provider: string | undefined;
  readonly productCode: string | undefined;
  readonly reason: string | undefined;
  readonly createdAt: Date | undefined;
  readonly completedAt: Date;
  readonly currency: string;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
  readonly batchId: string | undefined;
  readonly settledAt: Date | undefined;
  /** The converted amount of the movement's batch, if the batch is paid in another currency. */
  readonly changed: Changed | undefined;
  /** Number of movements in a line of a summary. */
  readonly count: number;
}

interface Column {
  readonly name: string;
  /** The reports that have this column: T transactions, S settlement batch, M the batch's summary. */
  readonly in: string;
  /** The value of the column. It is absent if no provider supplies the value; the column is then empty. */
  readonly of?: (row: ReportRow) => string | undefined;
}

const initials: Readonly<Record<ReportName, string>> = {
  TRANSACTION_DETAIL: "T",
  SETTLEMENT_DETAIL: "S",
  SETTLEMENT_SUMMARY: "M",
};

/**
 * The columns of fees. The merchant pays one fee for everything and the tax on it (blended pricing). The other columns
 * are for pricing that passes on each part.
 */
const fees: readonly (readonly [name: string, of?: (row: ReportRow) => bigint])[] = [
  ["paymentMethodFeeAmountValue", ({ feeMinor }) => feeMinor],
  ["interchangeFeeAmountValue"],
  ["schemeFeeAmountValue"],
  ["acquirerMarkupAmountValue"],
  ["processingFeeAmountValue"],
  ["taxFeeAmountValue", ({ taxMinor }) => taxMinor],
  ["refundFeeAmountValue"],
  ["disputeHandlingFee"],
  ["financingFeeAmountValue"],
  ["rdrFeeAmountValue"],
  ["anticipationFeeAmountValue"],
  ["riskDecisionServiceFeeAmountValue"],
  ["riskManagementFeeAmountValue"],
  ["cdrnFeeAmountValue"],
  ["iofFeeAmountValue"],
  ["withholdingTaxAmountValue"],
  ["fxFeeAmountValue"],
];

/** Names of the currency columns of fees that have irregular names. */
const oddCurrencies: Readonly<Record<string, string>> = {
  disputeHandlingFee: "disputeHandlingFeeCurrency",
  withholdingTaxAmountValue: "withholdingTaxFeeCurrency",
  fxFeeAmountValue: "fxFeeAmountCurrency",
};

const sum = (row: ReportRow, minor: bigint): string => toDecimal({ currency: row.currency, minor });
const time = (at: Date | undefined): string | undefined => at && wireTime(at.getTime());
/**
 * Escapes a text of a merchant, a buyer or a provider. Request ids are escaped, too, because the interface allows `=`
 * in them.
 */
const text = (written: string | undefined): string | undefined => written && csvText(written);
const isFeeRow = ({ type }: ReportRow): boolean => type === otherType;
/** The moved amount of a row. A row of a fee has an amount only in the settled column. */
const moved = (row: ReportRow): string | undefined => (isFeeRow(row) ? undefined : sum(row, row.grossMinor));

const total = "TOTAL";

/**
 * The settled amount of a row. A batch is converted as a whole: the converted amount is in the total of its summary. A
 * single movement has no converted amount, because rounded parts would not add up to the whole.
 */
function settled(row: ReportRow): string | undefined {
  if (row.changed) return row.type === total ? toDecimal(row.changed.got) : undefined;
  return sum(row, row.grossMinor + row.feeMinor + row.taxMinor);
}

function feeColumns([name, of]: (typeof fees)[number]): readonly Column[] {
  const currency = oddCurrencies[name] ?? name.replace(/AmountValue$/, "Currency");
  if (!of)
    return [
      { name, in: "TS" },
      { name: currency, in: "TS" },
    ];
  return [
    { name, in: "TS", of: (row) => sum(row, of(row)) },
    { name: currency, in: "TS", of: (row) => row.currency },
  ];
}

/** All columns in order, with name, reports and value. */
export const reportColumns: readonly Column[] = [
  { name: "settlementBatchId", in: "TSM", of: ({ batchId }) => batchId },
  { name: "customerId", in: "TSM", of: ({ clientId }) => clientId },
  { name: "PSP", in: "TSM", of: () => "TOLLGATE" },
  { name: "ARN", in: "TS" },
  { name: "referenceMerchantId", in: "TS" },
  { name: "referenceStoreId", in: "TS" },
  { name: "summaryType", in: "M", of: ({ type }) => type },
  { name: "count", in: "M", of: ({ count }) => String(count) },
  { name: "transactionType", in: "TS", of: ({ type }) => type },
  { name: "transactionId", in: "TS", of: ({ transactionId }) => transactionId },
  { name: "transactionRequestId", in: "TS", of: ({ requestId }) => text(requestId) },
  { name: "originalTransactionRequestId", in: "TS", of: ({ originalRequestId }) => text(originalRequestId) },
  { name: "originalTransactionId", in: "TS", of: ({ originalId }) => originalId },
  { name: "referenceTransactionId", in: "TS", of: ({ providerReference }) => text(providerReference) },
  { name: "orderDescription", in: "T", of: ({ orderDescription }) => text(orderDescription) },
  { name: "paymentMethodType", in: "TS", of: ({ paymentMethodType }) => paymentMethodType },
  { name: "provider", in: "TS", of: ({ provider }) => provider },
  { name: "productCode", in: "TS", of: ({ productCode }) => productCode },
  { name: "status", in: "T", of: () => "SUCCESS" },
  { name: "transactionCreationTime", in: "TS", of: ({ createdAt }) => time(createdAt) },
  { name: "transactionUpdateTime", in: "TS", of: ({ completedAt }) => time(completedAt) },
  { name: "transactionCompletionTime", in: "TS", of: ({ completedAt }) => time(completedAt) },
  {
    name: "settlementInitiatedDate",
    in: "SM",
    of: ({ settledAt }) => settledAt && accountingDayOf(settledAt),
  },
  { name: "transactionAmountValue", in: "TS", of: moved },
  { name: "transactionCurrency", in: "TS", of: ({ currency }) => currency },
  {
    name: "convertedTransactionAmountValue",
    in: "TS",
    of: (row) => (row.changed ? undefined : moved(row)),
  },
  {
    name: "convertedCurrency",
    in: "TS",
    of: ({ changed, currency }) => (changed ? undefined : currency),
  },
  { name: "settlementAmountValue", in: "TSM", of: settled },
  { name: "settlementCurrency", in: "TSM", of: ({ changed, currency }) => changed?.got.currency ?? currency },
  {
    name: "quoteCurrencyPair",
    in: "TS",
    of: ({ changed, currency }) => changed && pairText({ from: currency, to: changed.got.currency }),
  },
  { name: "quotePrice", in: "TS", of: ({ changed }) => changed?.price },
  ...fees.flatMap(feeColumns),
  { name: "installmentsNum", in: "TS" },
  { name: "issuingCountry", in: "TS" },
  { name: "cardBrand", in: "TS" },
  { name: "funding", in: "TS" },
  { name: "3DAuthentication", in: "T" },
  { name: "3DOffered", in: "T" },
  { name: "accountHolderName", in: "T" },
  { name: "originalCardSummary", in: "T" },
  { name: "cardNumber(Last 4 digits)", in: "T" },
  { name: "issuer", in: "T" },
  { name: "liabilityShift", in: "T" },
  { name: "reason", in: "T", of: ({ reason }) => text(reason) },
];

const columnsOf = (report: ReportName): readonly Column[] =>
  reportColumns.filter((column) => column.in.includes(initials[report]));

export function reportHead(report: ReportName): readonly string[] {
  return columnsOf(report).map(({ name }) => name);
}

export function reportCells(report: ReportName, row: ReportRow): readonly string[] {
  return columnsOf(report).map(({ of }) => of?.(row) ?? "");
}

/** Returns the lines of a summary: one for each type, then the total. */
export function summaryOf(sums: readonly ReportRow[]): readonly ReportRow[] {
  const types = [...new Set(sums.map(({ type }) => type))].toSorted();
  const lines = types.flatMap((type) =>
    together(
      type,
      sums.filter((row) => row.type === type),
    ),
  );
  return [...lines, ...together(total, sums)];
}

/** Sums rows to one row; returns no row for an empty list. */
function together(type: string, rows: readonly ReportRow[]): readonly ReportRow[] {
  const [first] = rows;
  if (!first) return [];
  const added = (of: (row: ReportRow) => bigint): bigint => rows.reduce((so, row) => so + of(row), 0n);
  const row = {
    ...first,
    type,
    count: rows.reduce((all, { count }) => all + count, 0),
    grossMinor: added(({ grossMinor }) => grossMinor),
    feeMinor: added(({ feeMinor }) => feeMinor),
    taxMinor: added(({ taxMinor }) => taxMinor),
  };
  return [row];
}

/** Returns the file name of a report: client id and last day, or batch id and closing day. */
export function reportFile(report: ReportName, of: string, day: string): string {
  return `${report}_${of}_${day.replaceAll("-", "")}.csv`;
}

/** A part of a report: lines without line ends, and the file name. */
export interface ReportPart {
  readonly file: string;
  readonly head: string;
  readonly lines: readonly string[];
  readonly nextCursor: string | undefined;
}

export interface ReportAsked {
  readonly report: ReportName;
  readonly fromDay?: string;
  readonly toDay?: string;
  readonly batchId?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

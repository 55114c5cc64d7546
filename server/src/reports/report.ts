import { accountingDayOf } from "../core/accounting-day.ts";
import { escapeFormula } from "../formats/csv-line.ts";
import { toDecimal } from "../core/money.ts";
import { formatPair } from "../ledger/currency-conversion.ts";
import type { BatchConversion } from "../settlement/batch.ts";
import { formatWireTime } from "../core/request-time.ts";

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
  "refund reversal": "REFUND_REVERSAL",
  cancel: "CANCEL",
  "dispute freeze": "DISPUTE",
  "dispute debit": "DISPUTE",
  "dispute release": "DISPUTE_REVERSAL",
  "reserve hold": "RESERVE",
  "reserve release": "RESERVE_RELEASED",
};

/** Transaction type of all other effects on the merchant's balance. */
const adjustmentType = "ADJUSTMENT_FEE";

export function transactionTypeOf(effect: string): string {
  return transactionTypes[effect] ?? adjustmentType;
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
  readonly conversion: BatchConversion | undefined;
  /** Number of movements in a line of a summary. */
  readonly count: number;
}

interface Column {
  readonly name: string;
  /** The reports that have this column: T transactions, S settlement batch, M the batch's summary. */
  readonly reports: string;
  /** The value of the column. It is absent if no provider supplies the value; the column is then empty. */
  readonly valueIn?: (row: ReportRow) => string | undefined;
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
const irregularCurrencyColumns: Readonly<Record<string, string>> = {
  disputeHandlingFee: "disputeHandlingFeeCurrency",
  withholdingTaxAmountValue: "withholdingTaxFeeCurrency",
  fxFeeAmountValue: "fxFeeAmountCurrency",
};

const sum = (row: ReportRow, minor: bigint): string => toDecimal({ currency: row.currency, minor });
const time = (at: Date | undefined): string | undefined => at && formatWireTime(at.getTime());
/**
 * Escapes a text of a merchant, a buyer or a provider. Request ids are escaped, too, because the interface allows `=`
 * in them.
 */
const text = (rawText: string | undefined): string | undefined => rawText && escapeFormula(rawText);
const isFeeRow = ({ type }: ReportRow): boolean => type === adjustmentType;
/** The moved amount of a row. A row of a fee has an amount only in the settled column. */
const movedAmount = (row: ReportRow): string | undefined =>
  isFeeRow(row) ? undefined : sum(row, row.grossMinor);

const total = "TOTAL";

/**
 * The settled amount of a row. A batch is converted as a whole: the converted amount is in the total of its summary. A
 * single movement has no converted amount, because rounded parts would not add up to the whole.
 */
function settledAmount(row: ReportRow): string | undefined {
  if (row.conversion) return row.type === total ? toDecimal(row.conversion.got) : undefined;
  return sum(row, row.grossMinor + row.feeMinor + row.taxMinor);
}

function feeColumns([name, feeOf]: (typeof fees)[number]): readonly Column[] {
  const currency = irregularCurrencyColumns[name] ?? name.replace(/AmountValue$/, "Currency");
  if (!feeOf)
    return [
      { name, reports: "TS" },
      { name: currency, reports: "TS" },
    ];
  return [
    { name, reports: "TS", valueIn: (row) => sum(row, feeOf(row)) },
    { name: currency, reports: "TS", valueIn: (row) => row.currency },
  ];
}

/** All columns in order, with name, reports and value. */
export const reportColumns: readonly Column[] = [
  { name: "settlementBatchId", reports: "TSM", valueIn: ({ batchId }) => batchId },
  { name: "customerId", reports: "TSM", valueIn: ({ clientId }) => clientId },
  { name: "PSP", reports: "TSM", valueIn: () => "TOLLGATE" },
  { name: "ARN", reports: "TS" },
  { name: "referenceMerchantId", reports: "TS" },
  { name: "referenceStoreId", reports: "TS" },
  { name: "summaryType", reports: "M", valueIn: ({ type }) => type },
  { name: "count", reports: "M", valueIn: ({ count }) => String(count) },
  { name: "transactionType", reports: "TS", valueIn: ({ type }) => type },
  { name: "transactionId", reports: "TS", valueIn: ({ transactionId }) => transactionId },
  { name: "transactionRequestId", reports: "TS", valueIn: ({ requestId }) => text(requestId) },
  {
    name: "originalTransactionRequestId",
    reports: "TS",
    valueIn: ({ originalRequestId }) => text(originalRequestId),
  },
  { name: "originalTransactionId", reports: "TS", valueIn: ({ originalId }) => originalId },
  {
    name: "referenceTransactionId",
    reports: "TS",
    valueIn: ({ providerReference }) => text(providerReference),
  },
  { name: "orderDescription", reports: "T", valueIn: ({ orderDescription }) => text(orderDescription) },
  { name: "paymentMethodType", reports: "TS", valueIn: ({ paymentMethodType }) => paymentMethodType },
  { name: "provider", reports: "TS", valueIn: ({ provider }) => provider },
  { name: "productCode", reports: "TS", valueIn: ({ productCode }) => productCode },
  { name: "status", reports: "T", valueIn: () => "SUCCESS" },
  { name: "transactionCreationTime", reports: "TS", valueIn: ({ createdAt }) => time(createdAt) },
  { name: "transactionUpdateTime", reports: "TS", valueIn: ({ completedAt }) => time(completedAt) },
  { name: "transactionCompletionTime", reports: "TS", valueIn: ({ completedAt }) => time(completedAt) },
  {
    name: "settlementInitiatedDate",
    reports: "SM",
    valueIn: ({ settledAt }) => settledAt && accountingDayOf(settledAt),
  },
  { name: "transactionAmountValue", reports: "TS", valueIn: movedAmount },
  { name: "transactionCurrency", reports: "TS", valueIn: ({ currency }) => currency },
  {
    name: "convertedTransactionAmountValue",
    reports: "TS",
    valueIn: (row) => (row.conversion ? undefined : movedAmount(row)),
  },
  {
    name: "convertedCurrency",
    reports: "TS",
    valueIn: ({ conversion, currency }) => (conversion ? undefined : currency),
  },
  { name: "settlementAmountValue", reports: "TSM", valueIn: settledAmount },
  {
    name: "settlementCurrency",
    reports: "TSM",
    valueIn: ({ conversion, currency }) => conversion?.got.currency ?? currency,
  },
  {
    name: "quoteCurrencyPair",
    reports: "TS",
    valueIn: ({ conversion, currency }) =>
      conversion && formatPair({ from: currency, to: conversion.got.currency }),
  },
  { name: "quotePrice", reports: "TS", valueIn: ({ conversion }) => conversion?.price },
  ...fees.flatMap(feeColumns),
  { name: "installmentsNum", reports: "TS" },
  { name: "issuingCountry", reports: "TS" },
  { name: "cardBrand", reports: "TS" },
  { name: "funding", reports: "TS" },
  { name: "3DAuthentication", reports: "T" },
  { name: "3DOffered", reports: "T" },
  { name: "accountHolderName", reports: "T" },
  { name: "originalCardSummary", reports: "T" },
  { name: "cardNumber(Last 4 digits)", reports: "T" },
  { name: "issuer", reports: "T" },
  { name: "liabilityShift", reports: "T" },
  { name: "reason", reports: "T", valueIn: ({ reason }) => text(reason) },
];

const columnsOf = (report: ReportName): readonly Column[] =>
  reportColumns.filter((column) => column.reports.includes(initials[report]));

export function reportHead(report: ReportName): readonly string[] {
  return columnsOf(report).map(({ name }) => name);
}

export function reportCells(report: ReportName, row: ReportRow): readonly string[] {
  return columnsOf(report).map(({ valueIn }) => valueIn?.(row) ?? "");
}

/** Returns the lines of a summary: one for each type, then the total. */
export function summarizeRows(sums: readonly ReportRow[]): readonly ReportRow[] {
  const types = [...new Set(sums.map(({ type }) => type))].toSorted();
  const lines = types.flatMap((type) =>
    sumRows(
      type,
      sums.filter((row) => row.type === type),
    ),
  );
  return [...lines, ...sumRows(total, sums)];
}

/** Sums rows to one row; returns no row for an empty list. */
function sumRows(type: string, rows: readonly ReportRow[]): readonly ReportRow[] {
  const [first] = rows;
  if (!first) return [];
  const sumOf = (minorOf: (row: ReportRow) => bigint): bigint =>
    rows.reduce((sumSoFar, row) => sumSoFar + minorOf(row), 0n);
  const row = {
    ...first,
    type,
    count: rows.reduce((all, { count }) => all + count, 0),
    grossMinor: sumOf(({ grossMinor }) => grossMinor),
    feeMinor: sumOf(({ feeMinor }) => feeMinor),
    taxMinor: sumOf(({ taxMinor }) => taxMinor),
  };
  return [row];
}

/** Returns the file name of a report: client id and last day, or batch id and closing day. */
export function reportFile(report: ReportName, subject: string, day: string): string {
  return `${report}_${subject}_${day.replaceAll("-", "")}.csv`;
}

/** A part of a report: lines without line ends, and the file name. */
export interface ReportPart {
  readonly file: string;
  readonly head: string;
  readonly lines: readonly string[];
  readonly nextCursor: string | undefined;
}

export interface ReportRequest {
  readonly report: ReportName;
  readonly fromDay?: string;
  readonly toDay?: string;
  readonly batchId?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

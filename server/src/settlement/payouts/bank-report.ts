import { parseCamt, type BankEntry, type CamtKind } from "../../bank/camt.ts";
import { sha256 } from "../../core/digest.ts";
import { FileProblem } from "../../core/file-problem.ts";
import { findElement, findElements, parseXml, type Element } from "../../formats/xml.ts";
import type { BankStatus } from "./payout.ts";

/** A bank's report about payouts: a status report (pain.002), or entries of our bank account (camt.054, camt.053). */
export type BankReport = StatusReport | EntryReport;

export interface StatusReport {
  readonly kind: "pain.002";
  /** Id of the payout file that the report is about. */
  readonly messageId: string;
  /** Statuses of single payouts. */
  readonly payoutStatuses: readonly (ReportedStatus & { readonly endToEndId: string })[];
  /** Statuses of the whole file. They apply to payouts without a status of their own. */
  readonly fileStatuses: readonly ReportedStatus[];
}

export interface ReportedStatus {
  /** The status of a payout. "noted" means that the bank has only accepted the payment, and may still reject it. */
  readonly bankStatus: Exclude<BankStatus, "returned"> | "noted";
  /**
   * Whether the bank rejected the payment as a duplicate. The bank may have executed the original, so the payout is not
   * due again.
   */
  readonly isDuplicate: boolean;
  /** The bank's reason code, from ISO's lists. */
  readonly reasonCode: string | undefined;
}

export interface EntryReport {
  readonly kind: CamtKind;
  /** Booked entries with an end-to-end id, which may be that of another party. */
  readonly entries: readonly ReportedEntry[];
}

export interface ReportedEntry extends Omit<BankEntry, "endToEndId"> {
  readonly endToEndId: string;
  readonly account: string;
  readonly statementId: string;
  /** The key of the entry: if the same statement is imported again, its entries have the same keys. */
  readonly entryKey: Uint8Array;
}

export function readBankReport(text: string): BankReport {
  const document = parseXml(text);
  const report = document.name === "Document" ? findElement(document, "CstmrPmtStsRpt") : undefined;
  if (report) return readStatusReport(report);
  const { kind, statements } = parseCamt(text);
  const entries = statements.flatMap(({ account, statementId, page, entries: booked }) => {
    const countBy = new Map<string, number>();
    return booked.flatMap(({ endToEndId, ...entry }): readonly ReportedEntry[] => {
      if (endToEndId === undefined) return [];
      const content = contentOf([kind, account, statementId, String(page), endToEndId], entry);
      const nth = (countBy.get(content) ?? 0) + 1;
      countBy.set(content, nth);
      return [{ ...entry, endToEndId, account, statementId, entryKey: sha256(`${content} ${nth}`) }];
    });
  });
  return { kind, entries };
}

/**
 * The content by which an entry is identified. Its position is not part of it, because a corrected statement with one
 * more entry shifts the others.
 */
function contentOf(location: readonly string[], entry: Omit<BankEntry, "endToEndId">): string {
  const { bankReference, amount, isCredit, isReversal, bookedAt, returnReason } = entry;
  const { currency, minor } = amount;
  const content = [bankReference, currency, String(minor), isCredit, isReversal, bookedAt, returnReason];
  return JSON.stringify([...location, ...content]);
}

/**
 * Codes of ISO's list of payment statuses (ExternalPaymentTransactionStatus1Code). A payment that is only accepted can
 * still be rejected.
 */
const bankStatuses: Readonly<Record<string, ReportedStatus["bankStatus"]>> = {
  ACSC: "paid",
  ACCC: "paid",
  RJCT: "failed",
  CANC: "failed",
  ACTC: "noted",
  ACCP: "noted",
  ACSP: "noted",
  ACWC: "noted",
  ACWP: "noted",
  ACFC: "noted",
  PATC: "noted",
  PDNG: "noted",
  RCVD: "noted",
  PART: "noted",
};

/**
 * Reason codes of ISO's list (ExternalStatusReason1Code) for a duplicate of a message, a payment group, a transaction
 * or an end-to-end id.
 */
const duplicateReasons = ["DU01", "DU02", "DU03", "DU04", "DU05", "AM05"];

function readStatusReport(report: Element): StatusReport {
  const group = findElement(report, "OrgnlGrpInfAndSts");
  const messageId = group && textAt(group, "OrgnlMsgId");
  if (!group || !messageId)
    throw new FileProblem("pain.002", "The status report does not name the original file.");
  const payments = findElements(report, "OrgnlPmtInfAndSts");
  const transactions = payments.flatMap((payment) => findElements(payment, "TxInfAndSts"));
  const payoutStatuses = transactions.flatMap((each) => {
    const endToEndId = endToEndIdOf(each);
    return readStatus(each, "TxSts", `Payout ${endToEndId}`).map((status) => ({ ...status, endToEndId }));
  });
  // The gateway's payout files have one payment group, so the status of the group is that of the whole file.
  const fileStatuses = [
    ...readStatus(group, "GrpSts", `Message ${messageId}`),
    ...payments.flatMap((payment) => readStatus(payment, "PmtInfSts", `Message ${messageId}`)),
  ];
  return { kind: "pain.002", messageId, payoutStatuses, fileStatuses };
}

/** Reads the status of an element; empty if it has none. */
function readStatus(element: Element, name: string, subject: string): readonly ReportedStatus[] {
  const code = textAt(element, name);
  if (code === undefined) return [];
  const bankStatus = Object.hasOwn(bankStatuses, code) ? bankStatuses[code] : undefined;
  if (!bankStatus)
    throw new FileProblem(subject, `${name} has an unknown code: ${JSON.stringify(code.slice(0, 40))}.`);
  const reasons = findElements(element, "StsRsnInf", "Rsn").flatMap(
    (reason) => textAt(reason, "Cd") ?? textAt(reason, "Prtry") ?? [],
  );
  const duplicate = reasons.find((reason) => duplicateReasons.includes(reason));
  const reasonCode = (duplicate ?? reasons[0])?.slice(0, 35);
  return [{ bankStatus, isDuplicate: bankStatus === "failed" && duplicate !== undefined, reasonCode }];
}

function endToEndIdOf(transaction: Element): string {
  const id = textAt(transaction, "OrgnlEndToEndId");
  if (id === undefined) throw new FileProblem("pain.002", "A transaction has no OrgnlEndToEndId.");
  return id;
}

function textAt(element: Element, ...path: readonly string[]): string | undefined {
  return findElement(element, ...path)?.text || undefined;
}

import { readCamt, type BankEntry } from "../bank/camt.ts";
import { FileProblem } from "../core/file-problem.ts";
import type { Money } from "../core/money.ts";
import { elementAt, elementsAt, readXml, type Element } from "../core/xml.ts";
import type { BankWord } from "./payout.ts";

/** What a bank says about one payout, or about all of a file. */
export interface ToldPayout {
  readonly of: { readonly endToEndId: string } | { readonly messageId: string };
  readonly word: BankWord;
  /** The bank's code for why, from ISO's lists. */
  readonly reasonCode: string | undefined;
  /** What moved, where the bank says so. */
  readonly amount: Money | undefined;
}

export interface ToldFile {
  readonly kind: "pain.002" | "camt.053" | "camt.054";
  readonly told: readonly ToldPayout[];
  /** Payouts that the bank has only taken note of so far. */
  readonly notedCount: number;
}

/** Reads what a bank says about payouts: pain.002, or the entries of an account, camt.054 or camt.053. */
export function readBankWords(text: string): ToldFile {
  const document = readXml(text);
  const report = document.name === "Document" ? elementAt(document, "CstmrPmtStsRpt") : undefined;
  if (report) return readStatusReport(report);
  const { kind, statements } = readCamt(text);
  const told = statements.flatMap(({ entries }) => entries).flatMap(toldByEntry);
  return { kind, told: withoutExecuted(told), notedCount: 0 };
}

/** Codes of ISO's list of payment statuses (ExternalPaymentTransactionStatus1Code). What is only accepted can still be refused. */
const words: Readonly<Record<string, BankWord | "noted">> = {
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

function readStatusReport(report: Element): ToldFile {
  const group = elementAt(report, "OrgnlGrpInfAndSts");
  const messageId = group && textAt(group, "OrgnlMsgId");
  if (!group || !messageId) throw new FileProblem("pain.002", "It does not say which file it is about.");
  const payments = elementsAt(report, "OrgnlPmtInfAndSts");
  const transactions = payments.flatMap((payment) => elementsAt(payment, "TxInfAndSts"));
  const told = transactions.map((each) => readStatus(each, "TxSts", { endToEndId: endToEndIdOf(each) }));
  // What is said of the whole goes for those that are not named: our files have one group of payments.
  const whole = [
    readStatus(group, "GrpSts", { messageId }),
    ...payments.map((payment) => readStatus(payment, "PmtInfSts", { messageId })),
  ];
  const all = [...told, ...whole].filter((each) => each !== undefined);
  return {
    kind: "pain.002",
    told: all.flatMap(({ word, ...each }) => (word === "noted" ? [] : [{ ...each, word }])),
    notedCount: all.filter(({ word }) => word === "noted").length,
  };
}

function readStatus(
  element: Element,
  name: string,
  of: ToldPayout["of"],
): (Omit<ToldPayout, "word"> & { readonly word: BankWord | "noted" }) | undefined {
  const code = textAt(element, name);
  if (code === undefined) return undefined;
  const word = words[code];
  const whose = "messageId" in of ? `Message ${of.messageId}` : `Payout ${of.endToEndId}`;
  if (!word) throw new FileProblem(whose, `${name} ${JSON.stringify(code.slice(0, 40))} is not known.`);
  const reason = elementAt(element, "StsRsnInf", "Rsn");
  const reasonCode = reason && (textAt(reason, "Cd") ?? textAt(reason, "Prtry"));
  return { of, word, reasonCode: reasonCode?.slice(0, 35), amount: undefined };
}

function endToEndIdOf(transaction: Element): string {
  const id = textAt(transaction, "OrgnlEndToEndId");
  if (id === undefined) throw new FileProblem("pain.002", "A transaction has no OrgnlEndToEndId.");
  return id;
}

/** What left our account was executed; what came under the payout's own name came back. */
function toldByEntry({ endToEndId, amount, isCredit, returnReason }: BankEntry): readonly ToldPayout[] {
  if (endToEndId === undefined) return [];
  return [{ of: { endToEndId }, word: isCredit ? "returned" : "paid", reasonCode: returnReason, amount }];
}

/** An account that tells of both, in any order, tells of one that came back. */
function withoutExecuted(told: readonly ToldPayout[]): readonly ToldPayout[] {
  const nameOf = ({ of }: ToldPayout): string => ("endToEndId" in of ? of.endToEndId : of.messageId);
  const returned = new Set(told.filter(({ word }) => word === "returned").map(nameOf));
  return told.filter((each) => each.word === "returned" || !returned.has(nameOf(each)));
}

function textAt(element: Element, ...path: readonly string[]): string | undefined {
  return elementAt(element, ...path)?.text || undefined;
}

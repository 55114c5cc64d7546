import { startOfAccountingDay } from "../core/accounting-day.ts";
import { minorDigits } from "../core/currency.ts";
import { FileProblem } from "../core/file-problem.ts";
import type { Money } from "../core/money.ts";
import { findElement, findElements, parseXml, type Element } from "../formats/xml.ts";

/**
 * A bank's ISO 20022 message: camt.053 is a statement with balances, camt.054 lists entries booked in between,
 * without balances.
 */
export interface CamtMessage {
  readonly kind: CamtKind;
  readonly messageId: string;
  readonly statements: readonly BankStatement[];
}

const rootElements = {
  "camt.053": ["BkToCstmrStmt", "Stmt"],
  "camt.054": ["BkToCstmrDbtCdtNtfctn", "Ntfctn"],
} as const;
export type CamtKind = keyof typeof rootElements;

export interface BankStatement {
  readonly statementId: string;
  /** The page number (`PgNb`) for a bank that sends statements in pages; 1 otherwise. */
  readonly page: number;
  /** Our account: its IBAN, or the bank's own account number. */
  readonly account: string;
  /** The opening balance; absent in camt.054. Negative if the account is overdrawn. */
  readonly opening: Balance | undefined;
  readonly closing: Balance | undefined;
  /** Booked entries in the bank's order, without pending and informational ones. */
  readonly entries: readonly BankEntry[];
}

export interface Balance {
  readonly amount: Money;
  readonly at: Date;
}

/** A booked entry. A batch booking with itemised details yields one entry per item. */
export interface BankEntry {
  /**
   * The reference of the entry, unique within the statement: the bank's own reference, or the position in the statement
   * if the entry has none.
   */
  readonly entryReference: string;
  /** The bank's own reference (`AcctSvcrRef`). A bank may use it for several entries. */
  readonly bankReference: string | undefined;
  /** Positive. */
  readonly amount: Money;
  /** Whether the bank entry credits our account. */
  readonly isCredit: boolean;
  /**
   * Whether the entry reverses an earlier entry. `isCredit` is the direction of this entry, not of the reversed one.
   */
  readonly isReversal: boolean;
  readonly bookedAt: Date;
  readonly endToEndId: string | undefined;
  /** The payer's text, or the bank's text if there is none. */
  readonly reference: string;
  /**
   * The bank's code for a returned payment: its reason, such as AC04, or the subfamily of its bank transaction code,
   * such as RRTN.
   */
  readonly returnReason: string | undefined;
}

/**
 * `parseCamt` parses camt.053 or camt.054 of any version. Elements that moved between versions .02 and .08 are read
 * from both places.
 */
export function parseCamt(text: string): CamtMessage {
  const document = parseXml(text);
  for (const kind of Object.keys(rootElements) as CamtKind[]) {
    const [root, each] = rootElements[kind];
    const message = document.name === "Document" ? findElement(document, root) : undefined;
    if (!message) continue;
    const statements = findElements(message, each).map((statement) =>
      readStatement(statement, kind, pageOf(statement, message)),
    );
    if (statements.length === 0) throw new FileProblem(kind, `The message has no ${each}.`);
    return { kind, messageId: textAt(message, "GrpHdr", "MsgId") ?? "", statements };
  }
  throw new FileProblem(1, "The file is neither camt.053 nor camt.054.");
}

/** The page number of a statement. Older versions of camt.053 have it in the header of the message instead. */
function pageOf(statement: Element, message: Element): number {
  const text =
    textAt(statement, "StmtPgntn", "PgNb") ??
    textAt(statement, "NtfctnPgntn", "PgNb") ??
    textAt(message, "GrpHdr", "MsgPgntn", "PgNb");
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 1;
}

function readStatement(element: Element, kind: CamtKind, page: number): BankStatement {
  const statementId = textAt(element, "Id");
  if (!statementId) throw new FileProblem(kind, "A statement has no Id.");
  const place = `Statement ${statementId}`;
  const account = textAt(element, "Acct", "Id", "IBAN") ?? textAt(element, "Acct", "Id", "Othr", "Id");
  if (!account) throw new FileProblem(place, "The statement has no account.");
  const entries = findElements(element, "Ntry").flatMap((entry, index) =>
    readEntry(entry, statementId, index + 1),
  );
  return {
    statementId,
    page,
    account,
    opening: readBalance(element, ["OPBD", "PRCD", "ITBD"], place),
    closing: readBalance(element, ["CLBD", "ITBD"], place, "last"),
    entries: makeReferencesUnique(entries),
  };
}

/**
 * Reads a balance: the first of these balance codes that the statement has. The previous closing balance (PRCD) counts
 * as an opening balance. A middle page has interim balances (ITBD): the first is its opening balance, the last its
 * closing balance.
 */
function readBalance(
  statement: Element,
  codes: readonly string[],
  place: string,
  position: "first" | "last" = "first",
): Balance | undefined {
  const balances = findElements(statement, "Bal");
  for (const code of codes) {
    const sameCode = balances.filter((balance) => textAt(balance, "Tp", "CdOrPrtry", "Cd") === code);
    const balance = sameCode.at(position === "first" ? 0 : -1);
    if (!balance) continue;
    const where = `${place}, balance ${code}`;
    const { currency, minor } = readAmount(onlyAt(balance, where, "Amt"), where);
    const signed = readIsCredit(balance, where) ? minor : -minor;
    return { amount: { currency, minor: signed }, at: readTime(onlyAt(balance, where, "Dt"), where) };
  }
  return undefined;
}

function readEntry(entry: Element, statementId: string, number: number): readonly BankEntry[] {
  const place = `Statement ${statementId}, entry ${number}`;
  const statusElement = onlyAt(entry, place, "Sts");
  const status = statusElement && (textAt(statusElement, "Cd") ?? statusElement.text);
  if (status !== "BOOK") return [];
  const amount = readAmount(onlyAt(entry, place, "Amt"), place);
  // Some banks list entries with the amount zero, which move no money.
  if (amount.minor === 0n) return [];
  const bankReference = textAt(entry, "AcctSvcrRef");
  const returnCode = returnSubFamilyOf(entry);
  const entryFields = {
    bankReference,
    entryReference: bankReference ?? `${statementId}/${textAt(entry, "NtryRef") ?? number}`,
    amount,
    isCredit: readIsCredit(entry, place),
    isReversal: ["true", "1"].includes(textAt(entry, "RvslInd") ?? ""),
    bookedAt: readTime(onlyAt(entry, place, "BookgDt"), place),
  };
  const note = textAt(entry, "AddtlNtryInf") ?? "";
  const details = findElements(entry, "NtryDtls", "TxDtls");
  const [detail] = details;
  const withoutDetails = { ...entryFields, endToEndId: undefined, reference: note, returnReason: returnCode };
  if (!detail) return [withoutDetails];
  if (details.length === 1) return [{ ...entryFields, ...readDetails(detail, note, returnCode) }];
  const parts = readBatchItems(details, entryFields, place);
  if (!parts) return [withoutDetails];
  return parts.map((part, index) => ({
    ...entryFields,
    ...part,
    ...readDetails(details[index] as Element, note, returnCode),
    entryReference: `${entryFields.entryReference}/${index + 1}`,
  }));
}

interface BatchItem {
  readonly amount: Money;
  readonly isCredit: boolean;
}

/**
 * Returns the items of a batch booking; undefined if the bank does not list them in the account's currency with the
 * sum of the entry.
 */
function readBatchItems(
  details: readonly Element[],
  batch: BatchItem,
  place: string,
): readonly BatchItem[] | undefined {
  const parts = details.map((detail): BatchItem | undefined => {
    const amountElement = onlyAt(detail, place, "Amt") ?? onlyAt(detail, place, "AmtDtls", "TxAmt", "Amt");
    if (!amountElement) return undefined;
    const isCredit = findElement(detail, "CdtDbtInd") ? readIsCredit(detail, place) : batch.isCredit;
    return { amount: readAmount(amountElement, place), isCredit };
  });
  const items = parts.filter((part) => part !== undefined);
  const isComplete =
    items.length === details.length &&
    items.every(({ amount: { currency, minor } }) => currency === batch.amount.currency && minor > 0n) &&
    items.reduce((sum, part) => sum + signedMinor(part), 0n) === signedMinor(batch);
  return isComplete ? items : undefined;
}

/** Returns the signed change of the account balance. */
export function signedMinor({ amount, isCredit }: BatchItem): bigint {
  return isCredit ? amount.minor : -amount.minor;
}

/** Subfamilies of ISO's bank transaction codes for a returned payment: returned, or cancelled on request. */
const returnSubFamilies = ["RRTN", "RPCR"];

function returnSubFamilyOf(element: Element): string | undefined {
  const code = textAt(element, "BkTxCd", "Domn", "Fmly", "SubFmlyCd");
  return code !== undefined && returnSubFamilies.includes(code) ? code : undefined;
}

function readDetails(
  detail: Element,
  note: string,
  returnCode: string | undefined,
): Pick<BankEntry, "endToEndId" | "reference" | "returnReason"> {
  const endToEndId = textAt(detail, "Refs", "EndToEndId");
  const references = [
    ...findElements(detail, "RmtInf", "Ustrd"),
    ...findElements(detail, "RmtInf", "Strd", "CdtrRefInf", "Ref"),
  ].map(({ text }) => text);
  return {
    endToEndId: endToEndId === "NOTPROVIDED" ? undefined : endToEndId,
    reference: references.filter(Boolean).join(" ") || (textAt(detail, "AddtlTxInf") ?? note),
    returnReason:
      textAt(detail, "RtrInf", "Rsn", "Cd") ??
      textAt(detail, "RtrInf", "Rsn", "Prtry")?.slice(0, 35) ??
      returnSubFamilyOf(detail) ??
      returnCode,
  };
}

/**
 * Makes the references of bank entries unique with a number, because banks book a payment and its charge under one
 * reference. The next number is remembered for each reference, so the time is linear even if all entries have the same
 * reference.
 */
function makeReferencesUnique(entries: readonly BankEntry[]): readonly BankEntry[] {
  const usedReferences = new Set<string>();
  const nextBy = new Map<string, number>();
  return entries.map((entry) => {
    const { entryReference: base } = entry;
    let entryReference = base;
    let nth = nextBy.get(base) ?? 2;
    for (; usedReferences.has(entryReference); nth += 1) entryReference = `${base} (${nth})`;
    nextBy.set(base, nth);
    usedReferences.add(entryReference);
    return entryReference === base ? entry : { ...entry, entryReference };
  });
}

function readAmount(element: Element | undefined, place: string): Money {
  const currency = element?.attributes["Ccy"] ?? "";
  const digits = minorDigits(currency);
  if (!element || digits === undefined)
    throw new FileProblem(place, `Amt has no ISO 4217 currency; it is ${JSON.stringify(currency)}.`);
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{0,5}))?$/.exec(element.text) ?? [];
  const excessDigits = fraction.slice(digits);
  if (whole === undefined || !/^0*$/.test(excessDigits)) {
    const shown = JSON.stringify(element.text.slice(0, 40));
    throw new FileProblem(
      place,
      `Amt must be an amount in ${currency} with at most ${digits} digits; it is ${shown}.`,
    );
  }
  return { currency, minor: BigInt(whole + fraction.slice(0, digits).padEnd(digits, "0")) };
}

function readIsCredit(element: Element, place: string): boolean {
  const indicator = onlyAt(element, place, "CdtDbtInd")?.text;
  if (indicator === "CRDT" || indicator === "DBIT") return indicator === "CRDT";
  throw new FileProblem(place, "CdtDbtInd must be CRDT or DBIT.");
}

/** Reads a time of a bank message. A date is an accounting day in UTC+8; a time without a zone is in UTC+8, too. */
function readTime(element: Element | undefined, place: string): Date {
  const day = element && (textAt(element, "Dt") ?? element.text).slice(0, 10);
  const time = element && textAt(element, "DtTm");
  const isZoned = time !== undefined && /(?:Z|[+-]\d\d:\d\d)$/.test(time);
  const moment = time ? new Date(isZoned ? time : `${time}+08:00`) : startOfAccountingDay(day ?? "");
  if (Number.isNaN(moment.getTime()))
    throw new FileProblem(place, "The date is missing or not in the calendar.");
  return moment;
}

/**
 * Returns the only element at a path, or undefined. A file with two elements at the path is rejected, because another
 * reader of the file could use the other element.
 */
function onlyAt(element: Element, place: string, ...path: readonly string[]): Element | undefined {
  const [only, ...more] = findElements(element, ...path);
  if (more.length > 0)
    throw new FileProblem(
      place,
      `There are ${more.length + 1} elements ${path.at(-1)}; only one is allowed.`,
    );
  return only;
}

function textAt(element: Element, ...path: readonly string[]): string | undefined {
  return findElement(element, ...path)?.text || undefined;
}

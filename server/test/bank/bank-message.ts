import { findElement, findElements, escapeXml, parseXml, type Element } from "../../src/formats/xml.ts";

/** One credit transfer of a pain.001, as a bank reads it. */
export interface Instruction {
  readonly endToEndId: string;
  /** Account of the payee. */
  readonly iban: string;
  readonly currency: string;
  readonly minor: bigint;
}

export interface PaymentFile {
  readonly messageId: string;
  readonly instructions: readonly Instruction[];
}

/** `readPaymentFile` reads a pain.001 without knowledge of payouts: the end-to-end ids are those in the file. */
export function readPaymentFile(text: string): PaymentFile {
  const message = findElement(parseXml(text), "CstmrCdtTrfInitn");
  if (!message) throw new Error("The file is not a pain.001.");
  const instructions = findElements(message, "PmtInf", "CdtTrfTxInf").map((each): Instruction => {
    const amount = findElement(each, "Amt", "InstdAmt");
    return {
      endToEndId: textAt(each, "PmtId", "EndToEndId"),
      iban: textAt(each, "CdtrAcct", "Id", "IBAN"),
      currency: amount?.attributes["Ccy"] ?? "",
      minor: BigInt((amount?.text ?? "").replace(".", "")),
    };
  });
  return { messageId: textAt(message, "GrpHdr", "MsgId"), instructions };
}

function textAt(element: Element, ...path: readonly string[]): string {
  const text = findElement(element, ...path)?.text;
  if (!text) throw new Error(`The file has no ${path.join("/")}.`);
  return text;
}

/** A status of the ISO list ExternalPaymentTransactionStatus1Code, with the reason of a rejection. */
export interface TransactionStatus {
  readonly code: "ACSC" | "ACSP" | "RJCT";
  readonly reason?: string | undefined;
}

export interface StatusReport {
  readonly reportId: string;
  readonly day: string;
  readonly messageId: string;
  /** Status of the whole message; absent if only single transactions have a status. */
  readonly group?: TransactionStatus | undefined;
  readonly transactions: readonly (TransactionStatus & { readonly endToEndId: string })[];
}

/** `writeStatusReport` writes a pain.002. */
export function writeStatusReport(report: StatusReport): string {
  const { reportId, day, messageId, group, transactions } = report;
  const lines = transactions.map(
    ({ endToEndId, ...status }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${escapeXml(endToEndId)}</OrgnlEndToEndId>${statusXml("TxSts", status)}</TxInfAndSts>`,
  );
  const payments =
    lines.length === 0
      ? ""
      : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${escapeXml(messageId)}</OrgnlPmtInfId>\n${lines.join("\n")}\n</OrgnlPmtInfAndSts>`;
  return documentXml(
    "pain.002.001.10",
    `<CstmrPmtStsRpt>${groupHeaderXml(reportId, day)}
<OrgnlGrpInfAndSts><OrgnlMsgId>${escapeXml(messageId)}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${
      group ? statusXml("GrpSts", group) : ""
    }</OrgnlGrpInfAndSts>
${payments}</CstmrPmtStsRpt>`,
  );
}

function statusXml(name: "GrpSts" | "TxSts", { code, reason }: TransactionStatus): string {
  const reasonXml = reason === undefined ? "" : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`;
  return `<${name}>${code}</${name}>${reasonXml}`;
}

/** One transaction of an entry. Amounts are signed: negative when money leaves the account. */
export interface EntryDetail {
  readonly endToEndId: string | undefined;
  readonly minor: bigint;
  readonly text: string;
  /** An ISO return reason code, such as AC04. */
  readonly returnReason?: string | undefined;
}

/** An entry (Ntry) of an account. It has one detail, or one per transaction of a batch booking. */
export interface Entry {
  /** The bank's own reference (AcctSvcrRef). */
  readonly reference: string;
  readonly isReversal: boolean;
  /** Booking date, if it differs from the day of the statement. */
  readonly day?: string;
  readonly details: readonly EntryDetail[];
}

export interface Statement {
  readonly statementId: string;
  readonly iban: string;
  readonly currency: string;
  readonly day: string;
  readonly opening: bigint;
  readonly entries: readonly Entry[];
}

export function sumOf(entries: readonly Entry[]): bigint {
  return entries.reduce(
    (sum, { details }) => sum + details.reduce((total, { minor }) => total + minor, 0n),
    0n,
  );
}

/** `writeStatements` writes a camt.053. */
export function writeStatements(fileId: string, day: string, statements: readonly Statement[]): string {
  const all = statements.map((statement) => {
    const { opening, currency, entries } = statement;
    return `<Stmt>${accountXml(statement)}
${balanceXml("OPBD", opening, currency, statement.day)}
${balanceXml("CLBD", opening + sumOf(entries), currency, statement.day)}
${entriesXml(statement)}
</Stmt>`;
  });
  return documentXml(
    "camt.053.001.08",
    `<BkToCstmrStmt>${groupHeaderXml(fileId, day)}\n${all.join("\n")}\n</BkToCstmrStmt>`,
  );
}

/** `writeNotifications` writes a camt.054, which has entries and no balances. */
export function writeNotifications(fileId: string, day: string, accounts: readonly Statement[]): string {
  const all = accounts.map((account) => {
    const notification = { ...account, statementId: `${fileId}-${account.currency}` };
    return `<Ntfctn>${accountXml(notification)}\n${entriesXml(notification)}\n</Ntfctn>`;
  });
  return documentXml(
    "camt.054.001.08",
    `<BkToCstmrDbtCdtNtfctn>${groupHeaderXml(fileId, day)}\n${all.join("\n")}\n</BkToCstmrDbtCdtNtfctn>`,
  );
}

function accountXml({ statementId, day, iban, currency }: Statement): string {
  return `<Id>${statementId}</Id><CreDtTm>${day}T23:59:59+08:00</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy></Acct>`;
}

function entriesXml({ entries, currency, day }: Statement): string {
  return entries.map((entry) => entryXml(entry, currency, day)).join("\n");
}

function entryXml(entry: Entry, currency: string, day: string): string {
  const isBatch = entry.details.length > 1;
  const details = entry.details.map(({ endToEndId, minor, text, returnReason }) =>
    [
      `<TxDtls><Refs><EndToEndId>${escapeXml(endToEndId ?? "NOTPROVIDED")}</EndToEndId></Refs>`,
      isBatch ? amountXml(minor, currency) : "",
      `<RmtInf><Ustrd>${escapeXml(text)}</Ustrd></RmtInf>`,
      returnReason === undefined ? "" : `<RtrInf><Rsn><Cd>${returnReason}</Cd></Rsn></RtrInf>`,
      "</TxDtls>",
    ].join(""),
  );
  const reversal = entry.isReversal ? "<RvslInd>true</RvslInd>" : "";
  return `<Ntry>${amountXml(sumOf([entry]), currency)}${reversal}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${entry.day ?? day}</Dt></BookgDt><AcctSvcrRef>${
    entry.reference
  }</AcctSvcrRef><NtryDtls>${details.join("")}</NtryDtls></Ntry>`;
}

function balanceXml(code: "OPBD" | "CLBD", minor: bigint, currency: string, day: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountXml(minor, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function amountXml(minor: bigint, currency: string): string {
  const size = minor < 0n ? -minor : minor;
  const text = currency === "JPY" ? String(size) : `${size / 100n}.${String(size % 100n).padStart(2, "0")}`;
  return `<Amt Ccy="${currency}">${text}</Amt><CdtDbtInd>${minor < 0n ? "DBIT" : "CRDT"}</CdtDbtInd>`;
}

function groupHeaderXml(messageId: string, day: string): string {
  return `<GrpHdr><MsgId>${escapeXml(messageId)}</MsgId><CreDtTm>${day}T23:59:59+08:00</CreDtTm></GrpHdr>`;
}

function documentXml(message: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">${content}</Document>
`;
}

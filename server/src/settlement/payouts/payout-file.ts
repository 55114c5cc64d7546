import assert from "node:assert/strict";
import type { Lifecycle } from "../../core/lifecycle.ts";
import { formatMoney, type Money } from "../../core/money.ts";
import { escapeXml } from "../../formats/xml.ts";

/** Message versions that banks accept. Most banks use .09; a few still require .03. */
export const payoutFormats = ["pain.001.001.09", "pain.001.001.03"] as const;
export type PayoutFormat = (typeof payoutFormats)[number];

export type PayoutFileStatus = "PLANNED" | "APPROVED" | "RELEASED" | "HANDED_OVER" | "VOIDED" | "DROPPED";

/**
 * Lifecycle of a payout file: planned by one person, approved by another. From RELEASED on the file has payouts.
 * DROPPED means that it never had a payout. VOIDED means that two people stated that the bank never received it.
 */
export const payoutFileLifecycle = {
  PLANNED: ["APPROVED", "DROPPED"],
  APPROVED: ["RELEASED", "DROPPED"],
  RELEASED: ["HANDED_OVER", "VOIDED", "DROPPED"],
  HANDED_OVER: ["VOIDED"],
  VOIDED: [],
  DROPPED: [],
} as const satisfies Lifecycle<PayoutFileStatus>;

/** A bank account in a payout file. */
export interface FileAccount {
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
}

export interface FilePayout {
  /** At most 35 characters. */
  readonly endToEndId: string;
  readonly amount: Money;
  readonly to: FileAccount;
  /** The text on the merchant's bank statement. */
  readonly reference: string;
}

/** A payout file: payments in one currency from one account. */
export interface PayoutFile {
  readonly format: PayoutFormat;
  /** The id of the message, at most 35 characters. A bank accepts an id only once. */
  readonly messageId: string;
  readonly createdAt: Date;
  /** Requested execution day. */
  readonly executionDay: string;
  readonly from: FileAccount;
  readonly payouts: readonly FilePayout[];
}

/**
 * `writePayoutFile` renders the ISO 20022 file. The same payouts always result in the same bytes, so the file can be
 * written again after a crash.
 */
export function writePayoutFile(file: PayoutFile): string {
  const [first] = file.payouts;
  assert(first, "A payout file needs payouts.");
  const { currency } = first.amount;
  assert(
    file.payouts.every(({ amount }) => amount.currency === currency),
    "A payout file has one currency.",
  );
  const sum = decimal({
    currency,
    minor: file.payouts.reduce((total, { amount }) => total + amount.minor, 0n),
  });
  const day = file.executionDay;
  const isNew = file.format === "pain.001.001.09";
  const countAndSum = `<NbOfTxs>${file.payouts.length}</NbOfTxs><CtrlSum>${sum}</CtrlSum>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${file.format}">`,
    "<CstmrCdtTrfInitn>",
    `<GrpHdr>${text("MsgId", file.messageId)}<CreDtTm>${file.createdAt.toISOString().slice(0, 19)}Z</CreDtTm>${countAndSum}`,
    `<InitgPty>${text("Nm", file.from.holder)}</InitgPty></GrpHdr>`,
    `<PmtInf>${text("PmtInfId", file.messageId)}<PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>${countAndSum}`,
    // The charge bearer is SLEV in SEPA and SHAR elsewhere. With both codes, each side pays its own charges.
    ...(currency === "EUR" ? ["<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>"] : []),
    `<ReqdExctnDt>${isNew ? `<Dt>${day}</Dt>` : day}</ReqdExctnDt>`,
    `<Dbtr>${text("Nm", file.from.holder)}</Dbtr>`,
    `<DbtrAcct><Id>${text("IBAN", file.from.iban)}</Id><Ccy>${currency}</Ccy></DbtrAcct>`,
    `<DbtrAgt>${institution(file.from.bic, isNew)}</DbtrAgt>`,
    `<ChrgBr>${currency === "EUR" ? "SLEV" : "SHAR"}</ChrgBr>`,
    ...file.payouts.map((payout) => transaction(payout, isNew)),
    "</PmtInf>",
    "</CstmrCdtTrfInitn>",
    "</Document>",
    "",
  ].join("\n");
}

function transaction({ endToEndId, amount, to, reference }: FilePayout, isNew: boolean): string {
  return [
    `<CdtTrfTxInf><PmtId>${text("EndToEndId", endToEndId)}</PmtId>`,
    `<Amt><InstdAmt Ccy="${amount.currency}">${decimal(amount)}</InstdAmt></Amt>`,
    ...(to.bic === undefined ? [] : [`<CdtrAgt>${institution(to.bic, isNew)}</CdtrAgt>`]),
    `<Cdtr>${text("Nm", to.holder)}</Cdtr>`,
    `<CdtrAcct><Id>${text("IBAN", to.iban)}</Id></CdtrAcct>`,
    `<RmtInf>${text("Ustrd", reference)}</RmtInf></CdtTrfTxInf>`,
  ].join("\n");
}

function institution(bic: string | undefined, isNew: boolean): string {
  assert(bic !== undefined, "Our own bank has a BIC.");
  return `<FinInstnId>${text(isNew ? "BICFI" : "BIC", bic)}</FinInstnId>`;
}

const text = (name: string, content: string): string => `<${name}>${escapeXml(content)}</${name}>`;

/** Formats an amount without its currency: `12.50`. */
const decimal = (money: Money): string => formatMoney(money).slice(money.currency.length + 1);

/** The characters that every bank accepts in a name. */
const bankNamePattern = /^[A-Za-z0-9/\-?:().,'+ ]{1,140}$/;

/**
 * `nameForBanks` returns a name in the characters that banks accept, without accents; undefined if other characters
 * remain.
 */
export function nameForBanks(name: string): string | undefined {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll("ß", "ss")
    .replaceAll("&", "+")
    .replaceAll(/\s+/g, " ")
    .trim();
  return bankNamePattern.test(plain) ? plain : undefined;
}

import { FileProblem } from "../../core/file-problem.ts";
import type { Money } from "../../core/money.ts";
import { minorDigits } from "../../core/currency.ts";
import { findElement, findElements, parseXml, type Element } from "../../formats/xml.ts";
import { payoutFormats, type FileAccount, type PayoutFormat } from "./payout-file.ts";

/** A payout file of the gateway (pain.001), parsed from a copy. */
export interface ParsedPayoutFile {
  readonly messageId: string;
  readonly format: PayoutFormat;
  readonly createdAt: Date;
  readonly executionDay: string;
  readonly currency: string;
  readonly from: FileAccount;
  readonly payments: readonly {
    readonly endToEndId: string;
    readonly amount: Money;
    readonly iban: string;
  }[];
}

/** `readPayoutFile` parses a file written by `writePayoutFile`; it rejects files of other programs. */
export function readPayoutFile(text: string): ParsedPayoutFile {
  const document = parseXml(text);
  const namespace = document.attributes["xmlns"] ?? "";
  const format = payoutFormats.find((each) => namespace.endsWith(each));
  const initiation = findElement(document, "CstmrCdtTrfInitn");
  const payment = initiation && findElement(initiation, "PmtInf");
  if (!format || !payment) throw new FileProblem("pain.001", "The file is not a payout file (pain.001).");
  const textAt = (element: Element, ...path: readonly string[]): string => {
    const found = findElement(element, ...path)?.text;
    if (found === undefined || found === "")
      throw new FileProblem("pain.001", `${path.join("/")} is missing.`);
    return found;
  };
  const currency = textAt(payment, "DbtrAcct", "Ccy");
  const isNew = format === "pain.001.001.09";
  return {
    messageId: textAt(initiation, "GrpHdr", "MsgId"),
    format,
    createdAt: new Date(textAt(initiation, "GrpHdr", "CreDtTm")),
    executionDay: isNew ? textAt(payment, "ReqdExctnDt", "Dt") : textAt(payment, "ReqdExctnDt"),
    currency,
    from: {
      holder: textAt(payment, "Dbtr", "Nm"),
      iban: textAt(payment, "DbtrAcct", "Id", "IBAN"),
      bic: textAt(payment, "DbtrAgt", "FinInstnId", isNew ? "BICFI" : "BIC"),
    },
    payments: findElements(payment, "CdtTrfTxInf").map((each) => ({
      endToEndId: textAt(each, "PmtId", "EndToEndId"),
      amount: readAmount(currency, textAt(each, "Amt", "InstdAmt")),
      iban: textAt(each, "CdtrAcct", "Id", "IBAN"),
    })),
  };
}

function readAmount(currency: string, text: string): Money {
  const digits = minorDigits(currency);
  const [whole = "", fraction = ""] = text.split(".");
  if (
    digits === undefined ||
    !/^\d{1,15}$/.test(whole) ||
    fraction.length !== digits ||
    !/^\d*$/.test(fraction)
  )
    throw new FileProblem("pain.001", `${currency} ${text.slice(0, 40)} is not an amount.`);
  return { currency, minor: BigInt(whole + fraction) };
}

/** A line of a wallet's settlement file. */
export interface WalletLine {
  readonly kind: "payment" | "refund" | "chargeback" | "fee" | "payout" | "adjustment";
  readonly reference: string;
  readonly operationReference: string;
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly at: Date;
}

export function walletFile(lines: readonly WalletLine[]): string {
  const rows = lines.map(({ kind, reference, operationReference, paymentId, currency, minor, at }) =>
    [kind, reference, operationReference, paymentId, currency, minor, at.toISOString()].join(","),
  );
  return ["kind,reference,operationReference,paymentId,currency,amountMinor,time", ...rows, ""].join("\n");
}

/** What a bank has booked on a day. */
export interface BankLine {
  /** Below zero when it went. */
  readonly minor: bigint;
  readonly endToEndId: string | undefined;
  readonly reference: string;
  readonly returnReason?: string;
}

export interface BankDay {
  readonly iban: string;
  readonly currency: string;
  /** As in 2026-10-31. */
  readonly day: string;
  readonly opening: bigint;
  readonly lines: readonly BankLine[];
}

/** The statements of all accounts for a day, as camt.053.001.08 has them. */
export function bankStatements(day: string, accounts: readonly BankDay[]): string {
  return document(
    "camt.053.001.08",
    `<BkToCstmrStmt><GrpHdr><MsgId>${day}</MsgId><CreDtTm>${day}T23:59:59+08:00</CreDtTm></GrpHdr>
${accounts.map(statementOf).join("\n")}
</BkToCstmrStmt>`,
  );
}

function statementOf({ iban, currency, day, opening, lines }: BankDay): string {
  const closing = lines.reduce((sum, { minor }) => sum + minor, opening);
  const id = `${iban.slice(-4)}-${currency}-${day}`;
  const entries = lines.map((line, index) => entryOf(line, currency, day, `${id}-${index + 1}`));
  return `<Stmt><Id>${id}</Id><CreDtTm>${day}T23:59:59+08:00</CreDtTm><Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy></Acct>
${balance("OPBD", opening, currency, day)}
${balance("CLBD", closing, currency, day)}
${entries.join("\n")}
</Stmt>`;
}

/** The bank's word about each payout of a file of ours: taken on, or why not. */
export function statusReport(
  messageId: string,
  payouts: readonly { readonly endToEndId: string; readonly refusedWith: string | undefined }[],
): string {
  const told = payouts.map(
    ({ endToEndId, refusedWith }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><TxSts>${refusedWith ? "RJCT" : "ACSC"}</TxSts>${
        refusedWith ? `<StsRsnInf><Rsn><Cd>${refusedWith}</Cd></Rsn></StsRsnInf>` : ""
      }</TxInfAndSts>`,
  );
  return document(
    "pain.002.001.10",
    `<CstmrPmtStsRpt><GrpHdr><MsgId>S-${messageId}</MsgId><CreDtTm>2026-11-01T00:00:00+08:00</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>
${told.join("\n")}
</OrgnlPmtInfAndSts></CstmrPmtStsRpt>`,
  );
}

function document(message: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">${content}</Document>
`;
}

function balance(code: "OPBD" | "CLBD", minor: bigint, currency: string, day: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(minor, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function entryOf(line: BankLine, currency: string, day: string, reference: string): string {
  const { endToEndId, minor, returnReason } = line;
  const returned = returnReason ? `<RtrInf><Rsn><Cd>${returnReason}</Cd></Rsn></RtrInf>` : "";
  return `<Ntry>${amountOf(minor, currency)}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>${
    endToEndId ?? "NOTPROVIDED"
  }</EndToEndId></Refs><RmtInf><Ustrd>${line.reference}</Ustrd></RmtInf>${returned}</TxDtls></NtryDtls></Ntry>`;
}

function amountOf(minor: bigint, currency: string): string {
  const size = minor < 0n ? -minor : minor;
  const text = currency === "JPY" ? String(size) : `${size / 100n}.${String(size % 100n).padStart(2, "0")}`;
  return `<Amt Ccy="${currency}">${text}</Amt><CdtDbtInd>${minor < 0n ? "DBIT" : "CRDT"}</CdtDbtInd>`;
}

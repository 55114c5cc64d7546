/** A bank statement (camt.053.001.08) of one account, with the given entries. */
export interface ExampleStatement {
  readonly id: string;
  readonly day: string;
  readonly currency?: string;
  readonly account?: string;
  /** The opening balance in minor units (two digits), negative when overdrawn. */
  readonly opening: number;
  readonly entries: readonly ExampleEntry[];
  /** The page number of a statement in pages. The balances of a page are interim balances. */
  readonly page?: number;
  /** The message id. */
  readonly messageId?: string;
  /** The closing balance in the file; by default the calculated one. */
  readonly closing?: number;
}

export interface ExampleEntry {
  readonly reference?: string;
  /** Negative for a debit. */
  readonly minor: number;
  readonly text?: string;
  readonly endToEndId?: string;
}

export function exampleStatements(...statements: readonly ExampleStatement[]): string {
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>\n` +
    `<GrpHdr><MsgId>${statements[0]?.messageId ?? "M"}</MsgId><CreDtTm>2026-11-17T20:00:00Z</CreDtTm></GrpHdr>\n` +
    `${statements.map(statementXml).join("\n")}\n</BkToCstmrStmt></Document>\n`
  );
}

function statementXml(statement: ExampleStatement): string {
  const { id, account = "DE02120300000000202051", opening, entries, page } = statement;
  const closing = statement.closing ?? entries.reduce((sum, { minor }) => sum + minor, opening);
  return [
    `<Stmt><Id>${id}</Id>`,
    page === undefined ? "" : `<StmtPgntn><PgNb>${page}</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>`,
    `<Acct><Id><IBAN>${account}</IBAN></Id></Acct>`,
    balanceXml(statement, page === undefined ? "OPBD" : "ITBD", opening),
    balanceXml(statement, page === undefined ? "CLBD" : "ITBD", closing),
    ...entries.map((entry) => entryXml(statement, entry)),
    "</Stmt>",
  ].join("\n");
}

function balanceXml({ day, currency }: ExampleStatement, code: string, minor: number): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountXml(minor, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function entryXml({ day, currency }: ExampleStatement, entry: ExampleEntry): string {
  const { reference, minor, text = "", endToEndId = "NOTPROVIDED" } = entry;
  return (
    `<Ntry>${amountXml(minor, currency)}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>` +
    (reference === undefined ? "" : `<AcctSvcrRef>${reference}</AcctSvcrRef>`) +
    `<NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>` +
    `<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
  );
}

function amountXml(minor: number, currency = "EUR"): string {
  const size = String(Math.abs(minor)).padStart(3, "0");
  const sign = minor < 0 ? "DBIT" : "CRDT";
  return `<Amt Ccy="${currency}">${size.slice(0, -2)}.${size.slice(-2)}</Amt><CdtDbtInd>${sign}</CdtDbtInd>`;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FileProblem } from "../core/file-problem.ts";
import { parseCamt, signedMinor, type BankStatement } from "./camt.ts";
import { statementProblem } from "./bookable-statement.ts";

const header = `<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-17T20:00:00+01:00</CreDtTm></GrpHdr>`;
const account = `<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>`;
const inDocument = (statements: string, version = "08"): string =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}">` +
  `<BkToCstmrStmt>${header}${statements}</BkToCstmrStmt></Document>`;
const balance = (code: string, amount: string, sign = "CRDT"): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>` +
  `<Dt><Dt>2026-11-17</Dt></Dt></Bal>`;
const statement = (content: string): string => `<Stmt><Id>S1</Id>${account}${content}</Stmt>`;

interface EntryOptions {
  readonly amount?: string;
  readonly currency?: string;
  readonly sign?: string;
  readonly status?: string;
  readonly more?: string;
  readonly date?: string;
}

const entry = ({
  amount = "12.50",
  currency = "EUR",
  sign = "CRDT",
  status = "<Cd>BOOK</Cd>",
  more = "",
  date = "<Dt>2026-11-17</Dt>",
}: EntryOptions = {}): string =>
  `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>${status}</Sts>` +
  `<BookgDt>${date}</BookgDt>${more}</Ntry>`;
const read = (content: string, version?: string): BankStatement =>
  parseCamt(inDocument(statement(content), version)).statements[0] as BankStatement;

test("version 08: an entry with all optional elements", () => {
  const details =
    `<NtryDtls><TxDtls><Refs><EndToEndId>E2E-7</EndToEndId></Refs>` +
    `<RmtInf><Ustrd>gcash payout</Ustrd><Ustrd>P-17</Ustrd></RmtInf></TxDtls></NtryDtls>`;
  const more = `<AcctSvcrRef>B-1</AcctSvcrRef>${details}<AddtlNtryInf>credit</AddtlNtryInf>`;
  const { entries, ...others } = read(balance("OPBD", "0.00") + balance("CLBD", "12.5") + entry({ more }));
  const at = new Date("2026-11-17T00:00:00+08:00");
  assert.deepEqual(others, {
    statementId: "S1",
    page: 1,
    account: "DE02120300000000202051",
    opening: { amount: { currency: "EUR", minor: 0n }, at },
    closing: { amount: { currency: "EUR", minor: 1250n }, at },
  });
  assert.deepEqual(entries, [
    {
      entryReference: "B-1",
      bankReference: "B-1",
      amount: { currency: "EUR", minor: 1250n },
      isCredit: true,
      isReversal: false,
      bookedAt: at,
      endToEndId: "E2E-7",
      reference: "gcash payout P-17",
      returnReason: undefined,
    },
  ]);
});

test("version 02: the status is plain text, and parts of a batch have their amounts in another element", () => {
  const part = (amount: string, id: string): string =>
    `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`;
  const batch = `<AcctSvcrRef>B</AcctSvcrRef><NtryDtls>${part("10.00", "a")}${part("2.50", "NOTPROVIDED")}</NtryDtls>`;
  const { entries } = read(entry({ status: "BOOK", sign: "DBIT", more: batch }), "02");
  assert.deepEqual(
    entries.map((each) => [each.entryReference, signedMinor(each), each.endToEndId]),
    [
      ["B/1", -1000n, "a"],
      ["B/2", -250n, undefined],
    ],
  );
});

test("a batch without details, or whose details do not sum to it, is one entry", () => {
  const part = (amount: string): string => `<TxDtls><Amt Ccy="EUR">${amount}</Amt></TxDtls>`;
  for (const parts of [part("10.00") + part("2.49"), part("12.50") + "<TxDtls/>"]) {
    const { entries } = read(entry({ more: `<NtryDtls>${parts}</NtryDtls>` }));
    assert.deepEqual(entries.map(signedMinor), [1250n]);
  }
});

test("a batch with both directions yields one entry per part, each with its own direction", () => {
  const parts =
    `<TxDtls><Amt Ccy="EUR">20.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></TxDtls>` +
    `<TxDtls><Amt Ccy="EUR">7.50</Amt><CdtDbtInd>DBIT</CdtDbtInd></TxDtls>`;
  const { entries } = read(entry({ more: `<NtryDtls>${parts}</NtryDtls>` }));
  assert.deepEqual(entries.map(signedMinor), [2000n, -750n]);
});

test("a reversal keeps its own direction, is marked as a reversal, and has its reason", () => {
  const returned = `<RvslInd>true</RvslInd><NtryDtls><TxDtls><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls>`;
  const [only] = read(entry({ more: returned })).entries;
  assert.deepEqual([only?.isCredit, only?.isReversal, only?.returnReason], [true, true, "AC04"]);
});

test("a return is recognised by its reason, by the bank's own reason, or by its bank transaction code", () => {
  const code = (subFamily: string): string =>
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  const detail = (content: string): string => `<NtryDtls><TxDtls>${content}</TxDtls></NtryDtls>`;
  const reasonOf = (more: string): string | undefined => read(entry({ more })).entries[0]?.returnReason;
  assert.equal(reasonOf(detail("<RtrInf><Rsn><Prtry>closed</Prtry></Rsn></RtrInf>")), "closed");
  assert.equal(reasonOf(code("RRTN") + detail("")), "RRTN");
  assert.equal(reasonOf(code("RRTN")), "RRTN");
  assert.equal(reasonOf(detail(code("RPCR"))), "RPCR");
  assert.equal(reasonOf(code("RRTN") + detail("<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>")), "AC04");
  assert.equal(reasonOf(code("ESCT") + detail("")), undefined);
});

test("a middle page has interim balances and a page number, in the statement or in the message", () => {
  const balances = balance("ITBD", "1.00") + balance("ITBD", "13.50") + entry();
  const { page, opening, closing } = read(`<StmtPgntn><PgNb>2</PgNb></StmtPgntn>${balances}`);
  assert.deepEqual([page, opening?.amount.minor, closing?.amount.minor], [2, 100n, 1350n]);
  const older = inDocument(statement(balances), "02").replace(
    "</GrpHdr>",
    "<MsgPgntn><PgNb>3</PgNb></MsgPgntn></GrpHdr>",
  );
  assert.equal(parseCamt(older).statements[0]?.page, 3);
});

test("twenty thousand entries with one reference are parsed about as fast as with different ones", () => {
  const timeOf = (referenceOf: (nth: number) => string): number => {
    const entries = Array.from({ length: 20_000 }, (_, nth) =>
      entry({ more: `<AcctSvcrRef>${referenceOf(nth)}</AcctSvcrRef>` }),
    );
    const text = inDocument(statement(entries.join("")));
    const began = performance.now();
    const [only] = parseCamt(text).statements;
    assert.equal(new Set(only?.entries.map(({ entryReference }) => entryReference)).size, 20_000);
    return performance.now() - began;
  };
  const different = timeOf((nth) => `R${nth}`);
  assert.ok(timeOf(() => "R") < 10 * different + 1_000);
});

test("an entry with two amounts, directions, statuses or dates is rejected", () => {
  const doubled = [
    '<Amt Ccy="EUR">1.00</Amt>',
    "<CdtDbtInd>DBIT</CdtDbtInd>",
    "<Sts>BOOK</Sts>",
    "<BookgDt><Dt>2026-11-18</Dt></BookgDt>",
  ];
  for (const more of doubled) {
    const [, name = ""] = /^<(\w+)/.exec(more) ?? [];
    assert.throws(
      () => read(entry({ more })),
      new RegExp(`Statement S1, entry 1: There are 2 elements ${name}`),
    );
  }
});

test("a balance or a transaction detail with two amounts is rejected", () => {
  const second = '</Amt><Amt Ccy="EUR">9.00</Amt>';
  const opening = balance("OPBD", "1.00").replace("</Amt>", second);
  assert.throws(() => read(opening), /Statement S1, balance OPBD: There are 2 elements Amt/);
  const detail = (content: string): string => `<TxDtls>${content}</TxDtls>`;
  const [own, agreed] = ['<Amt Ccy="EUR">6.25', '<AmtDtls><TxAmt><Amt Ccy="EUR">6.25'];
  for (const [good, bad] of [
    [`${own}</Amt>`, `${own}${second}`],
    [`${agreed}</Amt></TxAmt></AmtDtls>`, `${agreed}${second}</TxAmt></AmtDtls>`],
  ] as const) {
    const details = (first: string): string =>
      entry({ more: `<NtryDtls>${detail(first)}${detail(good)}</NtryDtls>` });
    assert.equal(read(details(good)).entries.length, 2);
    assert.throws(() => read(details(bad)), /Statement S1, entry 1: There are 2 elements Amt/);
  }
});

test("pending and zero entries are left out", () => {
  const { entries } = read(
    entry({ status: "<Cd>PDNG</Cd>" }) + entry({ status: "INFO" }) + entry({ amount: "0" }),
  );
  assert.deepEqual(entries, []);
});

test("entries without a bank reference are identified by position, and two with one reference get different names", () => {
  const same = { more: "<AcctSvcrRef>B</AcctSvcrRef>" };
  const { entries } = read(entry() + entry({ more: "<NtryRef>n</NtryRef>" }) + entry(same) + entry(same));
  assert.deepEqual(
    entries.map(({ entryReference }) => entryReference),
    ["S1/1", "S1/n", "B", "B (2)"],
  );
});

test("amounts have the digits of their currency", () => {
  const minorOf = (amount: string, currency: string): bigint | undefined =>
    read(entry({ amount, currency })).entries[0]?.amount.minor;
  assert.equal(minorOf("1250", "JPY"), 1250n);
  assert.equal(minorOf("1250.00", "JPY"), 1250n);
  assert.equal(minorOf("12.5", "KWD"), 12500n);
  assert.equal(minorOf("0.01", "EUR"), 1n);
  const rejectedMessages = [
    ["12.505", "EUR"],
    ["1.5", "JPY"],
    ["-1", "EUR"],
    ["1,50", "EUR"],
    ["", "EUR"],
    ["1", "XXX"],
  ] as const;
  for (const [amount, currency] of rejectedMessages)
    assert.throws(() => minorOf(amount, currency), FileProblem, `${amount} ${currency}`);
});

test("a time without a zone is in UTC+8, like a book day", () => {
  const bookedAt = (date: string): string | undefined =>
    read(entry({ date })).entries[0]?.bookedAt.toISOString();
  assert.equal(bookedAt("<DtTm>2026-11-17T01:00:00</DtTm>"), "2026-11-16T17:00:00.000Z");
  assert.equal(bookedAt("<DtTm>2026-11-17T01:00:00Z</DtTm>"), "2026-11-17T01:00:00.000Z");
  assert.throws(
    () => bookedAt("<Dt>2026-13-01</Dt>"),
    /^FileProblem: Statement S1, entry 1: The date is missing or not in the calendar/,
  );
});

test("camt.054 has entries and no balances; other messages are rejected", () => {
  const twoNotifications = `<Document><BkToCstmrDbtCdtNtfctn>${header}<Ntfctn><Id>N</Id>${account}${entry()}</Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
  const { kind, messageId, statements } = parseCamt(twoNotifications);
  assert.deepEqual([kind, messageId, statements[0]?.entries.length], ["camt.054", "M1", 1]);
  assert.match(statementProblem(statements[0] as BankStatement) ?? "", /^The opening balance/);
  assert.throws(() => parseCamt("<Document><CstmrPmtStsRpt/></Document>"), /neither camt.053 nor camt.054/);
  assert.throws(() => parseCamt(inDocument("")), /The message has no Stmt/);
  assert.throws(() => read(entry({ sign: "C" })), /CdtDbtInd must be CRDT or DBIT/);
});

test("the previous closing balance counts as opening balance, and an overdrawn balance is negative", () => {
  const { opening } = read(balance("PRCD", "3.00", "DBIT"));
  assert.deepEqual(opening?.amount, { currency: "EUR", minor: -300n });
});

test("a statement adds up, or the missing amount is reported, to the cent", () => {
  const amounts = fc.array(fc.tuple(fc.bigInt(1n, 10n ** 12n), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 12n), 10n ** 12n), amounts, fc.bigInt(-2n, 2n), (start, moved, wrong) => {
      const formatAmount = (minor: bigint): [string, string] => {
        const size = (minor < 0n ? -minor : minor).toString().padStart(3, "0");
        return [`${size.slice(0, -2)}.${size.slice(-2)}`, minor < 0n ? "DBIT" : "CRDT"];
      };
      const end = moved.reduce((sum, [minor, isCredit]) => sum + (isCredit ? minor : -minor), start);
      const entries = moved.map(([minor, isCredit]) =>
        entry({ amount: formatAmount(minor)[0], sign: isCredit ? "CRDT" : "DBIT" }),
      );
      const read053 = read(
        [
          balance("OPBD", ...formatAmount(start)),
          balance("CLBD", ...formatAmount(end + wrong)),
          ...entries,
        ].join(""),
      );
      assert.equal(statementProblem(read053) === undefined, wrong === 0n);
    }),
  );
});

test("a statement with two currencies is rejected", () => {
  const content = balance("OPBD", "0") + balance("CLBD", "0") + entry({ currency: "USD" });
  assert.equal(statementProblem(read(content)), "The statement is in EUR, but contains an amount in USD.");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newSettlementReader, type SettlementRow } from "./settlement-row.ts";

const header =
  "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate";
const line = "refund,order-1,refund-1,2026,EUR,350,2026-11-15T10:00:00.250+08:00,,,,";

function read(text: string): readonly SettlementRow[] {
  const reader = newSettlementReader();
  return [...reader.read(text), ...reader.end()];
}

const row = {
  line: 2,
  kind: "refund",
  reference: "order-1",
  operationReference: "refund-1",
  paymentId: "2026",
  amount: { currency: "EUR", minor: 350n },
  at: new Date("2026-11-15T02:00:00.250Z"),
  feeOf: undefined,
  payoutId: "",
  valueDate: undefined,
};

test("a row is parsed by column names, in any order and with other columns", () => {
  assert.deepEqual(read(`${header}\r\n${line}\r\n`), [row]);
  const turned = `${header.split(",").toReversed().join(",")},note`;
  const values = `${line.replace("10:00:00.250+08:00", "02:00:00.250Z").split(",").toReversed().join(",")},"a, b"`;
  assert.deepEqual(read(`${turned}\n${values}`), [row]);
});

test("a refund that failed after it succeeded is a movement of its own, with a positive amount", () => {
  const reversed = { ...row, kind: "refund_reversal" };
  assert.deepEqual(read(`${header}\n${line.replace("refund,", "refund_reversal,")}`), [reversed]);
  assert.throws(
    () => read(`${header}\n${line.replace("refund,", "refund_reversal,").replace("350", "-350")}`),
    {
      name: "FileProblem",
    },
  );
});

test("a fee of a row is a row of its own, in its own currency, and may be returned", () => {
  const feeOf = (fee: string): readonly SettlementRow[] =>
    read(`${header}\n${line.replace(",,,,", `,${fee},,`)}`).slice(1);
  const fee = { ...row, kind: "fee", operationReference: "refund refund-1", feeOf: "refund" };
  assert.deepEqual(feeOf("USD,7"), [{ ...fee, amount: { currency: "USD", minor: 7n } }]);
  assert.deepEqual(feeOf("EUR,-7"), [{ ...fee, amount: { currency: "EUR", minor: -7n } }]);
  assert.deepEqual(feeOf("EUR,0"), []);
});

test("a row and its fee name their payout and its value date", () => {
  const rows = read(`${header}\n${line.replace(",,,,", ",EUR,7,po-1,2026-11-17")}`);
  assert.deepEqual(
    rows.map(({ kind, payoutId, valueDate }) => [kind, payoutId, valueDate]),
    [
      ["refund", "po-1", "2026-11-17"],
      ["fee", "po-1", "2026-11-17"],
    ],
  );
});

test("a file with only a header has no rows", () => assert.deepEqual(read(`${header}\r\n`), []));

test("movements without a payment need no payment id, and a fee or an adjustment can be negative", () => {
  const read1 = (text: string): SettlementRow | undefined => read(`${header}\n${text},,,,`)[0];
  assert.partialDeepStrictEqual(read1("payout,,p-1,,EUR,350,2026-11-15T10:00:00Z"), {
    reference: "",
    paymentId: "",
  });
  for (const kind of ["fee", "adjustment"])
    assert.equal(read1(`${kind},,x,,EUR,-350,2026-11-15T10:00:00Z`)?.amount.minor, -350n);
  for (const invalidValue of [
    "payout,,p,,EUR,-350",
    "chargeback,,c,2026,EUR,350",
    "fee,,f,,EUR,-0",
    "payout,,,,EUR,350",
  ])
    assert.throws(() => read1(`${invalidValue},2026-11-15T10:00:00Z`), { name: "FileProblem" }, invalidValue);
});

const refused: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ["is empty", "", /^Line 1: The file is empty/],
  ["lacks a column", header.replace("currency", "money"), /^Line 1: The header has no column currency/],
  ["has a column twice", `${header},kind`, /^Line 1: The header has the column kind twice/],
  [
    "lacks a field",
    `${header}\n${line}\nrefund,order-1`,
    /^Line 3: The row has 2 fields, but the header has 11/,
  ],
  ["has an empty line", `${header}\n\n${line}`, /^Line 2: The row has 1 fields/],
  [
    "has an unknown kind",
    `${header}\n${line.replace("refund,", "gift,")}`,
    /^Line 2: kind must be one of .*"gift"/,
  ],
  [
    "has an empty reference",
    `${header}\n${line.replace("refund-1", "")}`,
    /^Line 2: operationReference must be text/,
  ],
  ["has a control sign", `${header}\n${line.replace("order-1", "a\0")}`, /^Line 2: reference must be text/],
  ["has no currency", `${header}\n${line.replace("EUR", "eur")}`, /^Line 2: currency .*"eur"/],
  ["has a decimal amount", `${header}\n${line.replace("350", "3.50")}`, /^Line 2: amountMinor .*"3\.50"/],
  ["has a negative amount", `${header}\n${line.replace("350", "-350")}`, /^Line 2: amountMinor/],
  ["has an amount of nothing", `${header}\n${line.replace("350", "0")}`, /^Line 2: amountMinor/],
  ["has an amount with a leading zero", `${header}\n${line.replace("350", "035")}`, /^Line 2: amountMinor/],
  ["has a time without a zone", `${header}\n${line.replace("+08:00", "")}`, /^Line 2: time/],
  ["has a fee without a currency", `${header}\n${line.replace(",,,,", ",,7,,")}`, /^Line 2: feeCurrency/],
  ["has a currency without a fee", `${header}\n${line.replace(",,,,", ",EUR,,,")}`, /^Line 2: feeMinor/],
  ["has a decimal fee", `${header}\n${line.replace(",,,,", ",EUR,0.07,,")}`, /^Line 2: feeMinor .*"0\.07"/],
  [
    "has a fee of a fee",
    `${header}\n${line.replace("refund,", "fee,").replace(",,,,", ",EUR,7,,")}`,
    /^Line 2: feeMinor must be empty/,
  ],
  [
    "has a value date that is no day",
    `${header}\n${line.replace(",,,,", ",,,,2026-11-31")}`,
    /^Line 2: valueDate .*"2026-11-31"/,
  ],
  [
    "has a time in milliseconds",
    `${header}\n${line.replace(/2026-11[^,]*/, "1794700000000")}`,
    /^Line 2: time/,
  ],
];

for (const [description, text, problem] of refused) {
  test(`a settlement file that ${description} is rejected`, () => {
    assert.throws(() => read(text), { name: "FileProblem", message: problem });
  });
}

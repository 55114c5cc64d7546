import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { containsCardNumber } from "../core/card-number.ts";
import { readDetails, threeDSecureOutcomes, type OrderDetails } from "./order-details.ts";
import { readOrder } from "./order-report.ts";

const all: OrderDetails = {
  cardBrand: "VISA",
  cardLastFour: "1111",
  issuerResultCode: "05 : Do not honor",
  avsResult: "Y",
  cvcResult: "M",
  threeDSecure: { version: "2.2.0", outcome: "FRICTIONLESS", isLiabilityShifted: true },
  networkTransactionId: "MCC4F1C0A1115",
  fee: { currency: "EUR", value: "25" },
  valueDate: "2026-11-17",
};

test("details of the protocol are read unchanged", () => {
  assert.deepEqual(readDetails(all), { details: all, cardNumberFields: [], wrongFields: [] });
});

test("each detail may be absent or null", () => {
  for (const name of Object.keys(all)) {
    const { [name as keyof OrderDetails]: _, ...others } = all;
    assert.deepEqual(readDetails({ ...all, [name]: null }).details, others);
  }
});

for (const outcome of threeDSecureOutcomes)
  test(`the outcome ${outcome} of 3-D Secure is read`, () => {
    assert.deepEqual(readDetails({ threeDSecure: { outcome } }).details, { threeDSecure: { outcome } });
  });

const wrongValues: readonly (readonly [keyof OrderDetails, unknown])[] = [
  ["cardBrand", "visa"],
  ["cardBrand", ""],
  ["cardLastFour", "111"],
  ["cardLastFour", "411111"],
  ["cardLastFour", 1111],
  ["issuerResultCode", 5],
  ["issuerResultCode", "0".repeat(65)],
  ["issuerResultCode", "é"],
  ["avsResult", "Y\0"],
  ["cvcResult", {}],
  ["threeDSecure", { outcome: "CHALLENGED" }],
  ["threeDSecure", { isLiabilityShifted: "true" }],
  ["threeDSecure", { version: "two" }],
  ["threeDSecure", { cavv: "AAAB" }],
  ["threeDSecure", []],
  ["networkTransactionId", "M C C"],
  ["fee", { currency: "EUR", value: "-1" }],
  ["fee", { currency: "EUR", value: "0.25" }],
  ["fee", { currency: "XXA", value: "25" }],
  ["fee", { currency: "EUR" }],
  ["valueDate", "2026-02-30"],
  ["valueDate", "2026-11-17T00:00:00Z"],
  ["valueDate", "17.11.2026"],
];
for (const [name, value] of wrongValues)
  test(`${name} ${JSON.stringify(value)} is dropped, and the other details are read`, () => {
    const { [name]: _, ...others } = all;
    const read = readDetails({ ...all, [name]: value });
    assert.deepEqual(read, { details: others, cardNumberFields: [], wrongFields: [name] });
  });

test("an unknown field is dropped", () => {
  assert.deepEqual(readDetails({ ...all, cardHolder: "A. Buyer" }).wrongFields, ["cardHolder"]);
  assert.deepEqual(readDetails({ ...all, cardHolder: "A. Buyer" }).details, all);
});

for (const value of ["PAID", 7, []])
  test(`details that are ${JSON.stringify(value)} are dropped`, () => {
    assert.deepEqual(readDetails(value), { details: {}, cardNumberFields: [], wrongFields: ["details"] });
  });

const cardNumbers: readonly (readonly [string, unknown])[] = [
  ["cardLastFour", "4111111111111111"],
  ["cardLastFour", "9999000000000004"],
  ["cardLastFour", "4111111"],
  ["cardLastFour", 4111111111111111],
  ["cardBrand", "4111111111111111"],
  ["issuerResultCode", "05 4111-1111-1111-1111"],
  ["avsResult", "378282246310005"],
  ["threeDSecure", { version: "4111111111111111" }],
  ["threeDSecure", { "4111111111111111": true }],
  ["networkTransactionId", "4111111111111111"],
  ["networkTransactionId", "378282246310005"],
  ["fee", { currency: "EUR", value: "4111111111111111" }],
  ["cardNumber", "4111 1111 1111 1111"],
  ["card", { number: ["4111111111111111"] }],
  ["4111111111111111", "VISA"],
];
for (const [name, value] of cardNumbers)
  test(`a card number in ${name} is dropped: ${JSON.stringify(value)}`, () => {
    const { details, cardNumberFields, wrongFields } = readDetails({ cvcResult: "M", [name]: value });
    assert.deepEqual(
      { details, cardNumberFields, wrongFields },
      { details: { cvcResult: "M" }, cardNumberFields: [name], wrongFields: [] },
    );
  });

test("details with a card number in any field are read without it", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("4111111111111111", "5555-5555-5555-4444", "378282246310005"),
  );
  const values = fc.oneof(text, fc.integer(), fc.record({ version: text, outcome: text }), fc.constant(null));
  const names = fc.oneof(fc.constantFrom(...Object.keys(all)), fc.string());
  fc.assert(
    fc.property(fc.dictionary(names, values), (value) => {
      const stored = JSON.stringify(readDetails(value).details);
      assert.ok(!containsCardNumber(stored), stored);
    }),
  );
});

test("a network transaction id of 15 digits is no card number if it ends with other digits than the card", () => {
  // The number passes the Luhn check, and begins as a number of American Express.
  const networkTransactionId = "378282246310005";
  const visa = { cardLastFour: "1111", networkTransactionId };
  assert.deepEqual(readDetails(visa), { details: visa, cardNumberFields: [], wrongFields: [] });
  const amex = { cardLastFour: "0005", networkTransactionId };
  assert.deepEqual(readDetails(amex).cardNumberFields, ["networkTransactionId"]);
});

test("an order is read with its usable details, and never unreadable because of them", () => {
  const order = { reference: "r", state: "DECLINED", resultCode: "RISK_REJECT" };
  const report = { state: "DECLINED", resultCode: "RISK_REJECT" } as const;
  const details = { issuerResultCode: "59" };
  assert.deepEqual(readOrder({ ...order, details }, "r"), { ...report, details });
  assert.deepEqual(readOrder({ ...order, details: { ...details, cardLastFour: "4111111111111111" } }, "r"), {
    ...report,
    details,
    hasCardNumber: true,
  });
  for (const unusable of [null, {}, "text", { cardBrand: 7 }])
    assert.deepEqual(readOrder({ ...order, details: unusable }, "r"), report);
});

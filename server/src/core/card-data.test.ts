import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { operations } from "../catalog/operations.ts";
import { findCardData, type DeclaredField } from "./card-data.ts";
import type { JsonValue } from "./strict-json.ts";

const card = "4111111111111111";

const refusedNames = [
  "cardNo",
  "cardNumber",
  "card_no",
  "card_number",
  "pan",
  "cvv",
  "cvv2",
  "cvc",
  "cvc2",
  "csc",
  "cardSecurityCode",
  "card_security_code",
  "track1",
  "track2",
  "trackData",
  "track_1",
  "track_2",
  "track_data",
  "pin",
  "pinBlock",
  "pin_block",
  "securityCode",
  "security_code",
  "panNumber",
  "pan_no",
  "cardNum",
  "cardPan",
  "primaryAccountNumber",
  "creditCardNumber",
  "credit_card_no",
  "debitCardNumber",
  "ccNumber",
  "cc_num",
  "cardCvv",
  "cvvCode",
  "cvcCode",
  "cvn2",
  "cvd",
  "cardVerificationValue",
  "card_verification_number",
  "verificationValue",
  "track2Data",
  "track3",
  "magneticStripe",
  "cardPin",
  "encryptedPin",
];

for (const name of refusedNames) {
  test(`a field named ${name} is rejected with any value, in any case`, () => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      for (const value of ["", "x", 0, false, [], {}])
        assert.equal(findCardData({ [spelling]: value }), spelling);
    }
  });
}

test("a card field that is null is absent", () => {
  assert.equal(findCardData({ cardNo: null, paymentMethodMetadata: { cvv: null } }), undefined);
});

const permittedNames = [
  "cardBrand",
  "cardToken",
  "expiryYear",
  "expiryMonth",
  "pinCode",
  "panel",
  "tracking",
  "lastFour",
  "cardCode",
  "companyNumber",
  "panelNumber",
  "cid",
  "socialSecurityNumber",
  "verificationCode",
  "trackingNumber",
  "accountNumber",
];

for (const name of permittedNames) {
  test(`a field named ${name} is not rejected for its name`, () =>
    assert.equal(findCardData({ [name]: "12" }), undefined));
}

const cardNumbers: readonly (readonly [name: string, text: string])[] = [
  ["13 digits", "4222222222222"],
  ["14 digits", "30569309025904"],
  ["15 digits", "378282246310005"],
  ["16 digits that start with 2", "2223003122003222"],
  ["16 digits that start with 3", "3530111333300000"],
  ["16 digits that start with 4", card],
  ["16 digits that start with 5", "5555555555554444"],
  ["16 digits that start with 6", "6011111111111117"],
  ["19 digits", "6205500000000000004"],
  ["spaces between groups", "4111 1111 1111 1111"],
  ["hyphens between groups", "3782-822463-10005"],
  ["a space after every digit", card.split("").join(" ")],
  ["words around it", `Card ${card}, thanks.`],
  ["adjacent letters", `card${card}exp`],
  ["a colon right before it", `card:${card}`],
  ["hexadecimal letters around it that make no id", `abc${card}abcd`],
  ["other numbers before and after it", `Room 12 ${card} 2 nights`],
  ["a date before it", `2026-11-15 ${card}`],
  ["a longer number elsewhere in the text", `${"9".repeat(35)}, ${card}`],
  ["a UUID elsewhere in the text", `44665544-1234-4123-8123-446655440000 ${card}`],
  ["JSON in a text", JSON.stringify({ note: card })],
  ["a URL around it", `https://shop.example/back?card=${card}&x=1`],
];

for (const [name, text] of cardNumbers) {
  test(`a card number is found with ${name}`, () => assert.equal(findCardData({ note: text }), "note"));
}

const notCardNumbers: readonly (readonly [name: string, text: string])[] = [
  ["a number that fails the Luhn check", "4111111111111112"],
  ["12 digits", "411111111117"],
  ["20 digits", "41111111111111111115"],
  ["a card number with digits right after it", `${card}0000`],
  ["a number that starts with 0", "0000000000000000"],
  ["a number that starts with 1", "1234567812345670"],
  ["a number that starts with 7", "7000000000000005"],
  ["a number that starts with 9", "9000000000000001"],
  ["a number behind a letter and signs in every group", "P4111, P1111, P1111, P1111"],
  ["four numbers with words between them", "Room 4111, Room 1111, Room 1111, Room 1111"],
  ["two numbers with a ruler between them", `41111111\n${"-".repeat(40)}\n11111111`],
  ["groups with different numbers of signs between them", "4111    1111     1111      1111"],
  ["a product's code that passes the Luhn check", "4006381333986"],
  ["an international telephone number", "+4915112345676"],
  ["an IBAN whose digits pass the Luhn check", "DE81 5105 0015 0000 0001 25"],
  ["an order number that starts with a moment", "2611150930001239"],
  ["a number split by letters", "41111111x11111111"],
  ["a time in milliseconds", "1763174400004"],
  ["an order number that starts with a date", "20261115102034"],
  ["a UUID whose digits pass the Luhn check", "aaaaaaaa-aaaa-4aaa-a411-111111111116"],
  ["a hexadecimal id whose digits pass the Luhn check", `abcd${card}abcd`],
  ["no digits", "Two coffees and a piece of cake"],
  ["nothing", ""],
];

for (const [name, text] of notCardNumbers) {
  test(`${name} is not a card number`, () => assert.equal(findCardData({ note: text }), undefined));
}

/** Schema marks of fields that are long and numeric by nature. */
const declaredSchema = {
  properties: {
    paymentId: { "x-digits": true },
    ids: { items: { "x-digits": true } },
    amount: { properties: { value: { "x-digits": true } } },
    papers: { "x-digest": true },
    note: {},
  },
};

test("a field that the schema declares as a long number may look like a card number", () => {
  const value = { paymentId: card, ids: [card], amount: { value: Number(card) }, papers: card };
  assert.equal(findCardData(value, declaredSchema), undefined);
});

test("no other field may contain a card number, whatever its name", () => {
  for (const name of [
    "note",
    "primaryAccountNo",
    "cardId",
    "orderId",
    "id",
    "value",
    "paidTime",
    "PaymentId",
  ])
    assert.equal(findCardData({ [name]: card }, declaredSchema), name);
  assert.equal(findCardData({ deep: { paymentId: card } }, declaredSchema), "deep.paymentId");
  assert.equal(findCardData({ paymentId: { note: card } }, declaredSchema), "paymentId.note");
  assert.equal(findCardData({ paymentId: [card] }, declaredSchema), "paymentId.0");
});

test("only ids, amounts, codes, telephone numbers and files of requests are declared as long numbers", () => {
  const names = new Set(operations.flatMap(({ request }) => [...declaredNames(request, "")]));
  const expected = /(?:Id|No|Code|Token|State|^value|^after|^cursor|^fromCursor|disputeEvidence|logo)$/;
  assert.deepEqual(
    [...names].filter((name) => !expected.test(name)),
    [],
  );
  assert.ok(names.has("paymentMethodId") && names.has("value") && names.has("referenceOrderId"));
});

function* declaredNames(field: DeclaredField, name: string): Iterable<string> {
  if (field["x-digits"] || field["x-digest"]) yield name;
  for (const [each, inside] of Object.entries(field.properties ?? {})) yield* declaredNames(inside, each);
  if (field.items) yield* declaredNames(field.items, name);
}

test("no operation declares a field that is named for card data", () => {
  const names = operations.flatMap(({ request }) => JSON.stringify(request).match(/"\w+":/g) ?? []);
  assert.deepEqual(
    names.filter((name) => findCardData({ [name.slice(1, -2)]: "x" }) !== undefined),
    [],
  );
});

const paths: readonly (readonly [path: string, value: JsonValue])[] = [
  ["order.orderDescription", { order: { orderAmount: { value: "100" }, orderDescription: card } }],
  ["order.goods.1.goodsName", { order: { goods: [{ goodsName: "Cake" }, { goodsName: card }] } }],
  ["notes.2", { notes: ["a", null, card] }],
  ["0.0", [[card]]],
  ["first", { first: card, cvv: "123" }],
  ["*", card],
  ["*", { "": card }],
  ["*", { [card]: true }],
  ["extra.*", { extra: { [`for ${card}`]: { note: "x" } } }],
];

for (const [path, value] of paths) {
  test(`the path to the first card data is ${path} in ${JSON.stringify(value)}`, () => {
    assert.equal(findCardData(value), path);
  });
}

test("a native integer is checked by its digits, a fraction never", () => {
  assert.equal(findCardData({ note: Number(card) }), "note");
  assert.equal(findCardData({ note: -Number(card) }), "note");
  assert.equal(findCardData({ note: 4111111111111112 }), undefined);
  assert.equal(findCardData({ rate: 1.4111111111111112, rates: [0.4242424242424242] }), undefined);
});

test("values without digits carry no card data", () => {
  assert.equal(findCardData({ a: null, b: true, c: [], d: {}, e: [false, null] }), undefined);
});

/** A number with a check digit appended, so that it passes the Luhn check. */
function withCheckDigit(digits: string): string {
  const sum = digits
    .split("")
    .toReversed()
    .reduce((total, digit, index) => {
      const counted = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
      return total + (counted > 9 ? counted - 9 : counted);
    }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const anyCardNumber = fc
  .tuple(fc.constantFrom(4, 51, 55, 2599, 62, 65), fc.stringMatching(/^[0-9]{15}$/))
  .map(([first, rest]) => withCheckDigit(`${first}${rest}`.slice(0, 15)));

const writtenCardNumber = fc
  .tuple(anyCardNumber, fc.constantFrom("", " ", "-", ".", " - ", "\u00a0", "_", "/", ",", "\r\n", "\t"))
  .map(([digits, sign]) => digits.match(/\d{4}/g)?.join(sign) ?? "");

/**
 * Texts without digits, and without several hexadecimal letters in a row, which could turn the number next to them into
 * a long id.
 */
const words = fc
  .string({ unit: "grapheme", maxLength: 30 })
  .filter((text) => !/\p{N}|[a-f]{2}/iu.test(text.normalize("NFKC")));
const freeTextName = fc.constantFrom(
  "orderDescription",
  "goodsName",
  "metadata",
  "buyerEmail",
  "remark",
  "x",
);
const harmlessFields = fc.dictionary(fc.constantFrom("a", "b", "orderId", "currency"), words, {
  noNullPrototype: true,
});

/** One number of each length, of six card schemes. */
const cardsByLength = [
  "4222222222222",
  "30569309025904",
  "378282246310005",
  "4111111111111111",
  "67594000000000001",
  "675940410000000003",
  "6205500000000000004",
];

const zeroWidth = "\u200b";
const inFours = (number: string, sign: string): string => number.match(/\d{1,4}/g)?.join(sign) ?? "";
const inScript = (number: string, zero: number): string =>
  number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const spellings: Readonly<Record<string, (number: string) => string>> = {
  "as it is": (number) => number,
  "with spaces": (number) => inFours(number, " "),
  "with two spaces": (number) => inFours(number, "  "),
  "with hyphens": (number) => inFours(number, "-"),
  "with a hyphen between spaces": (number) => inFours(number, " - "),
  "with dots": (number) => inFours(number, "."),
  "with no-break spaces": (number) => inFours(number, "\u00a0"),
  "with thin spaces": (number) => inFours(number, "\u2009"),
  "with en dashes": (number) => inFours(number, "–"),
  "with underscores": (number) => inFours(number, "_"),
  "with slashes": (number) => inFours(number, "/"),
  "with commas": (number) => inFours(number, ","),
  "with line ends": (number) => inFours(number, "\r\n"),
  "with tabs": (number) => inFours(number, "\t"),
  "with plus signs": (number) => inFours(number, "+"),
  "with escaped spaces": (number) => inFours(number, "%20"),
  "with HTML non-breaking spaces": (number) => inFours(number, "&nbsp;"),
  "digit by digit": (number) => number.split("").join(" "),
  "in full-width digits": (number) => inScript(number, 0xff10),
  "in Arabic digits": (number) => inScript(number, 0x0660),
  "in Devanagari digits": (number) => inScript(number, 0x0966),
  "in mathematical digits": (number) => inScript(number, 0x1d7d8),
  "with zero-width spaces": (number) => number.split("").join(zeroWidth),
  "with soft hyphens": (number) => inFours(number, "\u00ad"),
  "with four hyphens": (number) => inFours(number, "----"),
  "with sixteen spaces": (number) => inFours(number, " ".repeat(16)),
  "with a line end and five spaces": (number) => inFours(number, "\r\n     "),
  "with a letter between": (number) => inFours(number, "x"),
  "with a letter between spaces": (number) => inFours(number, " x "),
  "with a word between": (number) => inFours(number, "und"),
  "digit by digit with five dots": (number) => number.split("").join("....."),
  "with letters between and a number in front": (number) => `Room 12 ${inFours(number, "x")}`,
  "with hexadecimal digits in front": (number) => `deadbeefc${number}`,
  "with the expiry behind": (number) => `${inFours(number, " ")} 12/29`,
  "in a sentence": (number) => `Please charge ${number}, 12/29, thanks.`,
};

test("a card number of any length is found in 35 spellings", () => {
  assert.equal(Object.keys(spellings).length, 35);
  const acceptedNumbers = cardsByLength.flatMap((number) =>
    Object.entries(spellings).flatMap(([name, spell]) =>
      findCardData({ note: spell(number) }) === "note" ? [] : [`${number.length} digits ${name}`],
    ),
  );
  assert.deepEqual(acceptedNumbers, []);
});

test("digits before a card number, or its expiry after it, do not hide it", () => {
  for (const number of ["378282246310005", "4111111111111111", "5555555555554444"])
    for (const text of [`12${number}`, `0000${number}`, `${number}1229`, `${number}2912`, `99 ${number}`])
      assert.equal(findCardData({ note: text }), "note", text);
});

test("a card number in any free text at any depth is found, with its path", () => {
  fc.assert(
    fc.property(
      writtenCardNumber,
      fc.tuple(words, words),
      fc.array(fc.oneof(freeTextName, fc.constant(0)), { maxLength: 20 }),
      harmlessFields,
      freeTextName,
      (number, [before, after], steps, harmless, name) => {
        let body: JsonValue = { ...harmless, [name]: before + number + after };
        for (const step of steps.toReversed()) body = step === 0 ? [body] : { ...harmless, [step]: body };
        assert.equal(findCardData(body), [...steps, name].join("."));
      },
    ),
    { numRuns: 1000 },
  );
});

test("ids of 35 digits, times in milliseconds, compact dates, UUIDs and digests are not taken for cards", () => {
  const compactDate = fc
    .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().replaceAll(/[^0-9]/g, ""));
  const harmlessText = fc.oneof(
    fc.stringMatching(/^[0-9]{35}$/),
    fc.integer({ min: Date.UTC(2002), max: Date.UTC(2033) }).map(String),
    compactDate,
    compactDate.map((text) => text.slice(0, 14)),
    fc.uuid(),
    fc.uuid().map((id) => id.replaceAll("-", "")),
  );
  fc.assert(
    fc.property(harmlessText, words, (text, note) => {
      assert.equal(findCardData({ remark: `${note} ${text} ${note}` }), undefined);
      assert.equal(findCardData([text]), undefined);
    }),
    { numRuns: 5000 },
  );
});

test("a time in milliseconds is not taken for a card number, also as a native number", () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2002), max: Date.UTC(2033) }), (time) => {
      assert.equal(findCardData({ remark: time }), undefined);
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { findElements, parseXml, type Element } from "../../formats/xml.ts";
import { payoutFileFor } from "../../../test/bank/random-payout-file.ts";
import { nameForBanks, payoutFormats, writePayoutFile } from "./payout-file.ts";

const files = fc.constantFrom(...payoutFormats).chain(payoutFileFor);

/**
 * The parts of pain.001 that payout files use, as in its schema: order, number and content of the elements. ISO's
 * schema itself is not in this repository; payout-file-schema.test.ts validates against it.
 */
const max35 = /^.{1,35}$/su;
const max140 = /^.{1,140}$/su;
const decimal = /^\d{1,13}(\.\d{1,5})?$/;
const iban = /^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$/;
const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const day = /^\d{4}-\d\d-\d\d$/;
type Grammar = readonly (readonly [name: string, of: Grammar | RegExp, often?: "?" | "+"])[];

function grammar(isNew: boolean): Grammar {
  const bank: Grammar = [["FinInstnId", [[isNew ? "BICFI" : "BIC", bic]]]];
  const counted: Grammar = [
    ["NbOfTxs", /^[0-9]{1,15}$/],
    ["CtrlSum", decimal],
  ];
  const account: Grammar = [["Id", [["IBAN", iban]]]];
  return [
    ["GrpHdr", [["MsgId", max35], ["CreDtTm", time], ...counted, ["InitgPty", [["Nm", max140]]]]],
    [
      "PmtInf",
      [
        ["PmtInfId", max35],
        ["PmtMtd", /^TRF$/],
        ["BtchBookg", /^false$/],
        ...counted,
        ["PmtTpInf", [["SvcLvl", [["Cd", /^SEPA$/]]]], "?"],
        ["ReqdExctnDt", isNew ? [["Dt", day]] : day],
        ["Dbtr", [["Nm", max140]]],
        ["DbtrAcct", [...account, ["Ccy", /^[A-Z]{3}$/]]],
        ["DbtrAgt", bank],
        ["ChrgBr", /^(SLEV|SHAR)$/],
        [
          "CdtTrfTxInf",
          [
            ["PmtId", [["EndToEndId", max35]]],
            ["Amt", [["InstdAmt", decimal]]],
            ["CdtrAgt", bank, "?"],
            ["Cdtr", [["Nm", max140]]],
            ["CdtrAcct", account],
            ["RmtInf", [["Ustrd", max140]]],
          ],
          "+",
        ],
      ],
    ],
  ];
}

function conform(element: Element, rule: Grammar | RegExp): void {
  if (rule instanceof RegExp) {
    assert.deepEqual(element.children, []);
    assert.match(element.text, rule, element.name);
    return;
  }
  const remainingElements = [...element.children];
  for (const [name, childType, occurrence] of rule) {
    let found = 0;
    while (remainingElements[0]?.name === name && (occurrence === "+" || found === 0)) {
      conform(remainingElements.shift() as Element, childType);
      found += 1;
    }
    assert.ok(found > 0 || occurrence === "?", `${name} is not where it belongs in ${element.name}`);
  }
  assert.deepEqual(
    remainingElements.map(({ name }) => name),
    [],
  );
}

test("random payout files have the order of the schema, and their count and sum", () => {
  fc.assert(
    fc.property(files, (file) => {
      const text = writePayoutFile(file);
      assert.equal(writePayoutFile(file), text, "the same bytes every time");
      const document = parseXml(text);
      assert.equal(document.attributes["xmlns"], `urn:iso:std:iso:20022:tech:xsd:${file.format}`);
      const [root, ...others] = document.children;
      assert.ok(root?.name === "CstmrCdtTrfInitn" && others.length === 0);
      conform(root, grammar(file.format === "pain.001.001.09"));

      assert.match(text, new RegExp(`<ReqdExctnDt>(<Dt>)?${file.executionDay}<`));
      const paid = findElements(root, "PmtInf", "CdtTrfTxInf");
      assert.deepEqual(
        paid.flatMap((each) => findElements(each, "PmtId", "EndToEndId")).map((each) => each.text),
        file.payouts.map(({ endToEndId }) => endToEndId),
      );
      assert.deepEqual(
        paid.flatMap((each) => findElements(each, "Cdtr", "Nm")).map((each) => each.text),
        file.payouts.map(({ to }) => to.holder.trim()),
      );
      const minorOf = (shown: string): bigint => BigInt(shown.replace(".", ""));
      const amounts = paid.flatMap((each) => findElements(each, "Amt", "InstdAmt"));
      assert.deepEqual(
        amounts.map((each) => minorOf(each.text)),
        file.payouts.map(({ amount }) => amount.minor),
      );
      const sum = file.payouts.reduce((total, { amount }) => total + amount.minor, 0n);
      for (const where of ["GrpHdr", "PmtInf"]) {
        assert.deepEqual(
          findElements(root, where, "CtrlSum").map((each) => minorOf(each.text)),
          [sum],
        );
        assert.deepEqual(
          findElements(root, where, "NbOfTxs").map((each) => each.text),
          [String(file.payouts.length)],
        );
      }
    }),
  );
});

test("a file without payouts, or with two currencies, fails an assertion", () => {
  const [file] = fc.sample(files, 1);
  assert.ok(file);
  const [first] = file.payouts;
  assert.ok(first);
  assert.throws(() => writePayoutFile({ ...file, payouts: [] }), /A payout file needs payouts/);
  const usdPayout = { ...first, amount: { currency: "USD", minor: 1n } };
  assert.throws(() => writePayoutFile({ ...file, payouts: [first, usdPayout] }), /one currency/);
});

test("names are written in the characters of banks, and other names are rejected", () => {
  assert.equal(nameForBanks("Café Müller & Söhne"), "Cafe Muller + Sohne");
  assert.equal(nameForBanks("  Weiß   GmbH "), "Weiss GmbH");
  for (const name of ["", " ", "咖啡", "a_b", "x".repeat(141)])
    assert.equal(nameForBanks(name), undefined, name);
});

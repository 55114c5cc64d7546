import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCamt } from "../../src/bank/camt.ts";
import { findElement, findElements, parseXml } from "../../src/formats/xml.ts";
import { writePayoutFile } from "../../src/settlement/payouts/payout-file.ts";
import { allBankAdversities, type BankAdversity } from "./bank-adversity.ts";
import type { BankMessage } from "./bank-delivery.ts";
import { newBankSimulator, type BankSimulator } from "./bank-simulator.ts";
import { validatorMissing, violationsOf } from "./payout-schema.ts";
import { newRandom } from "./seeded-random.ts";

const ourIban = "FR1420041010050500013M02606";
const payeeIban = "DE89370400440532013000";

function newBank(adversities: readonly BankAdversity[] = [], seed = 1): BankSimulator {
  return newBankSimulator({
    random: newRandom(seed),
    accounts: new Map([["EUR", ourIban]]),
    adversities,
  });
}

function fileOf(messageId: string, ...payouts: readonly (readonly [string, bigint])[]): string {
  return writePayoutFile({
    format: "pain.001.001.09",
    messageId,
    createdAt: new Date("2026-11-10T00:00:00Z"),
    executionDay: "2026-11-10",
    from: { holder: "Gateway SA", iban: ourIban, bic: "BNPAFRPP" },
    payouts: payouts.map(([endToEndId, minor]) => ({
      endToEndId,
      amount: { currency: "EUR", minor },
      to: { holder: "Coffee Lab", iban: payeeIban, bic: undefined },
      reference: "Settlement",
    })),
  });
}

test(
  "the payment files that the simulated bank receives are valid against the ISO schema",
  { skip: validatorMissing },
  () => {
    assert.deepEqual(violationsOf([fileOf("M1", ["E1", 1250n], ["E2", 1n])]), [null]);
  },
);

const dayOf = (nth: number): string => new Date(Date.UTC(2026, 10, 10 + nth)).toISOString().slice(0, 10);

/** Ends business days until the bank has sent all messages. */
function endDays(bank: BankSimulator, from = 0): readonly BankMessage[] {
  const messages: BankMessage[] = [];
  for (let nth = from; nth === from || bank.hasUndelivered(); nth += 1) {
    assert.ok(nth < from + 20, "the bank sends everything within 20 days");
    messages.push(...bank.endDay(dayOf(nth)));
  }
  return messages;
}

const statusesIn = (messages: readonly BankMessage[]): readonly string[] =>
  messages
    .filter(({ kind }) => kind === "pain.002")
    .flatMap(({ text }) => {
      const report = findElement(parseXml(text), "CstmrPmtStsRpt");
      assert.ok(report);
      return [
        ...findElements(report, "OrgnlGrpInfAndSts").map((group) => [group, "GrpSts"] as const),
        ...findElements(report, "OrgnlPmtInfAndSts", "TxInfAndSts").map((each) => [each, "TxSts"] as const),
      ].flatMap(([element, name]) => {
        const status = findElement(element, name)?.text;
        const reason = findElement(element, "StsRsnInf", "Rsn", "Cd")?.text;
        const subject = findElement(element, "OrgnlEndToEndId")?.text ?? "message";
        return status ? [[subject, status, reason].filter(Boolean).join(" ")] : [];
      });
    });

const entriesIn = (messages: readonly BankMessage[]): readonly string[] =>
  messages
    .filter(({ kind }) => kind === "camt.053")
    .flatMap(({ text }) => parseCamt(text).statements)
    .flatMap(({ entries }) => entries)
    .map(
      ({ endToEndId, amount, isCredit, isReversal, returnReason }) =>
        `${endToEndId} ${isCredit ? "+" : "-"}${amount.minor}${isReversal ? " reversal" : ""}${
          returnReason ? ` ${returnReason}` : ""
        }`,
    );

test("a bank without adversities executes a file, reports it and books it on the same day", () => {
  const bank = newBank();
  bank.receive(fileOf("M1", ["E1", 4000n], ["E2", 250n]));
  const messages = bank.endDay(dayOf(0));
  assert.deepEqual(statusesIn(messages), ["E2 ACSC", "E1 ACSC"]);
  assert.deepEqual(entriesIn(messages), ["E2 -250", "E1 -4000"]);
  assert.equal(
    bank.ledger.paidOut(() => true),
    4250n,
  );
  assert.deepEqual(bank.ledger.discrepancies(), []);
  assert.equal(bank.hasUndelivered(), false);
});

test("the second copy of a message is rejected with DU01 and moves no money", () => {
  const bank = newBank();
  const file = fileOf("M1", ["E1", 4000n]);
  assert.equal(bank.receive(file).length, 1);
  assert.equal(bank.receive(file).length, 0);
  assert.deepEqual(statusesIn(bank.endDay(dayOf(0))).toSorted(), ["E1 ACSC", "message RJCT DU01"]);
  assert.equal(bank.receive(file).length, 0);
  assert.deepEqual(statusesIn(bank.endDay(dayOf(1))), ["message RJCT DU01"]);
  assert.equal(bank.ledger.duplicateMessages, 2);
  assert.equal(
    bank.ledger.paidOut(() => true),
    4000n,
  );
});

test("an end-to-end id that was executed is rejected in another message with AM05", () => {
  const bank = newBank();
  bank.receive(fileOf("M1", ["E1", 4000n]));
  bank.endDay(dayOf(0));
  assert.deepEqual(
    bank.receive(fileOf("M2", ["E1", 4000n], ["E2", 100n])).map(({ endToEndId }) => endToEndId),
    ["E2"],
  );
  assert.deepEqual(statusesIn(bank.endDay(dayOf(1))).toSorted(), ["E1 RJCT AM05", "E2 ACSC"]);
  assert.equal(
    bank.ledger.paidOut(() => true),
    4100n,
  );
});

test("a message id with other bytes fails the test", () => {
  const bank = newBank();
  bank.receive(fileOf("M1", ["E1", 4000n]));
  assert.throws(() => bank.receive(fileOf("M1", ["E1", 4001n])), /other bytes/);
});

const adversityCases: readonly (readonly [BankAdversity, bigint, readonly RegExp[]])[] = [
  ["returned", 0n, [/^E1 -4000$/, /^E1 \+4000 (?:AC04|AC06|MS03)$/]],
  ["returned-without-code", 4000n, [/^E1 -4000$/, /^E1 \+4000$/]],
  ["partly-returned", 4000n, [/^E1 -4000$/, /^E1 \+3\d\d\d (?:AC04|AC06|MS03)$/]],
  ["partly-returned-without-code", 4000n, [/^E1 -4000$/, /^E1 \+3\d\d\d$/]],
  ["charge", 4000n, [/^E1 -4000$/, /^E1 -\d{2,3}$/]],
  ["charge-given-back", 4000n, [/^E1 -4000$/, /^E1 -\d{2,3}$/, /^E1 \+\d{2,3}$/]],
  ["reversed", 4000n, [/^E1 -4000$/, /^E1 \+4000 reversal$/, /^E1 -4000$/]],
  ["reversed-later", 4000n, [/^E1 -4000$/, /^E1 \+4000 reversal$/, /^E1 -4000$/]],
];

for (const [adversity, paid, entries] of adversityCases)
  test(`${adversity}: the entries, and the bank's own ledger`, () => {
    const { bank, messages } = firstRunWith(adversity, (found) => entriesIn(found).length > 1);
    const booked = entriesIn(messages);
    assert.equal(booked.length, entries.length, booked.join("; "));
    for (const [nth, pattern] of entries.entries()) assert.match(booked[nth] ?? "", pattern);
    assert.equal(
      bank.ledger.paidOut(() => true),
      paid,
    );
    const explained = bank.ledger.discrepancies().reduce((sum, { minor }) => sum + minor, -paid);
    assert.equal(bank.ledger.balanceAtEndOf("9999-12-31", "EUR"), explained);
  });

/** `firstRunWith` simulates the bank with one adversity, and returns the first run in which the adversity occurs. */
function firstRunWith(
  adversity: BankAdversity,
  occurs: (messages: readonly BankMessage[]) => boolean,
): { readonly bank: BankSimulator; readonly messages: readonly BankMessage[] } {
  for (let seed = 1; seed < 50; seed += 1) {
    const bank = newBank([adversity], seed);
    bank.receive(fileOf("M1", ["E1", 4000n]));
    const messages = endDays(bank);
    if (occurs(messages)) return { bank, messages };
  }
  return assert.fail(`${adversity} does not occur in 50 seeds`);
}

test("a rejected transaction moves no money, and can be sent again under the same end-to-end id", () => {
  const { bank, messages } = firstRunWith("rejected", (found) => statusesIn(found).join("").includes("RJCT"));
  assert.match(statusesIn(messages).join(), /^E1 RJCT (?:AC01|AC04|AG01)$/);
  assert.equal(
    bank.ledger.paidOut(() => true),
    0n,
  );
  assert.equal(bank.receive(fileOf("M2", ["E1", 4000n])).length, 1);
});

/** Fourteen days with two payouts each. */
function fortnight(adversities: readonly BankAdversity[], seed: number) {
  const bank = newBank(adversities, seed);
  const messages: BankMessage[] = [];
  for (let nth = 0; nth < 14; nth += 1) {
    bank.deposit("EUR", 10_000n + BigInt(nth), "provider");
    bank.receive(fileOf(`M${nth}`, [`A${nth}`, 4000n + BigInt(nth)], [`B${nth}`, 300n]));
    messages.push(...bank.endDay(dayOf(nth)));
  }
  return { bank, messages: [...messages, ...endDays(bank, 14)] };
}

test("the same seed gives the same bytes, another seed does not", () => {
  const textOf = (seed: number): string =>
    fortnight(allBankAdversities, seed)
      .messages.map(({ text }) => text)
      .join("");
  assert.equal(textOf(3), textOf(3));
  assert.notEqual(textOf(3), textOf(4));
});

test("with all adversities, the last statements add up to the bank's ledger", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const { bank, messages } = fortnight(allBankAdversities, seed);
    const sums = new Map<string, bigint>();
    for (const { statements } of messages)
      for (const { statementId, minor } of statements) sums.set(statementId, minor);
    const statementSum = [...sums.values()].reduce((sum, minor) => sum + minor, 0n);
    assert.equal(statementSum, bank.ledger.balanceAtEndOf("9999-12-31", "EUR"), `seed ${seed}`);
  }
});

test("each kind of delivery occurs within fourteen days", () => {
  const idsIn = (messages: readonly BankMessage[]): readonly string[] =>
    messages.flatMap(({ statements }) => statements.map(({ statementId }) => statementId));
  const isRepeated = (values: readonly string[]): boolean => new Set(values).size < values.length;
  const textsOf = (messages: readonly BankMessage[], kind: string): readonly string[] =>
    messages.filter((message) => message.kind === kind).map(({ text }) => text);
  const occurs: Partial<Record<BankAdversity, (messages: readonly BankMessage[]) => boolean>> = {
    "repeated-answer": (messages) => isRepeated(statusesIn(messages)),
    "split-answer": (messages) => textsOf(messages, "pain.002").length > 14,
    "two-step-answer": (messages) => statusesIn(messages).some((status) => status.endsWith("ACSP")),
    "repeated-statement": (messages) => isRepeated(textsOf(messages, "camt.053")),
    "reissued-statement": (messages) =>
      isRepeated(idsIn(messages)) && !isRepeated(textsOf(messages, "camt.053")),
    "split-statement": (messages) => idsIn(messages).some((id) => id.endsWith("-2")),
    "corrected-statement": (messages) => messages.some(({ isContradictory }) => isContradictory),
    "batch-booking": (messages) =>
      textsOf(messages, "camt.053").some((text) => text.includes("</TxDtls><TxDtls>")),
    notification: (messages) => textsOf(messages, "camt.054").length >= 14,
    "reused-reference": (messages) =>
      isRepeated(
        textsOf(messages, "camt.053").flatMap((text) =>
          [...text.matchAll(/<AcctSvcrRef>(.*?)</g)].map(([, reference = ""]) => reference),
        ),
      ),
  };
  for (const [adversity, isFound] of Object.entries(occurs)) {
    assert.ok(isFound(fortnight([adversity as BankAdversity], 1).messages), adversity);
    assert.equal(isFound(fortnight([], 1).messages), false, `${adversity}, not switched on`);
  }
});

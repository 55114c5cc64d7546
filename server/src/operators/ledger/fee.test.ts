import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accountingDayOf, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { newPeople } from "../../../test/start/people.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { givenPayment } from "../../../test/shop/test-payment.ts";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { openDatabase } from "../../postgres/database.ts";
import { openClientDirectory } from "../../merchants/client-directory.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { addConnector } from "../providers/connector.ts";
import { findQuotes } from "./exchange.ts";
import { findFee, findFeeRules, feeRuleTable, setFeeRule, shownFeeText } from "./fee.ts";
import { termsAtRate } from "../../ledger/fee.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import {
  compareProviderCosts,
  comparedCostTable,
  findProviderCosts,
  setProviderCost,
} from "../reconciliation/provider-cost.ts";

/** These tests check fee rules in live. Fay and Finn have the role finance, each with a database login. */
const { database, operatorVariables } = await prepareTestGateway("live");
Object.assign(process.env, operatorVariables);
const owner = { url: database.ownerUrl, environment: "live", by: { alone: true, reason: "a test" } } as const;
const { clientId } = await newMerchant(database);
const people = { fay: "finance", finn: "finance" } as const;
type Person = keyof typeof people;
const { urlOf } = await newPeople(database, people);
const tomorrow = nextAccountingDay(accountingDayOf(new Date(Date.now() + 600_000)));
const everybody = { clientId: undefined, paymentMethodType: undefined, currency: undefined } as const;
const run = (statement: string): Promise<readonly object[]> =>
  asSuperuser(statement, [], database.superuserUrl);

/** Runs a read-only command with this person's login. */
async function look(person: Person, ...words: readonly string[]): Promise<void> {
  process.env["TOLLGATE_OWNER_DATABASE_URL"] = urlOf(person);
  const asked = readCommandLine(words, operatorCommands);
  assert.ok(asked.wants === "run");
  await operatorCommands[asked.name]?.run(asked.given);
}

/** Runs a command that changes something. */
const as = (person: Person, ...words: readonly string[]): Promise<void> =>
  look(person, ...words, "--as", person, "--reason", "a test");

const setForMerchant =
  `fee set --client-id ${clientId} --method GCASH --currency PHP --rate 1.85 --fixed 1000 --tax 12 --on-refund return-rate --from ${tomorrow}`.split(
    " ",
  );

test("in live a fee rule needs the approval of another person of finance, who sees the change", async () => {
  let askedId = "";
  await assert.rejects(as("fay", ...setForMerchant), ({ message }) => {
    askedId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return true;
  });
  assert.deepEqual(await findFeeRules(owner, undefined), []);
  await assert.rejects(as("fay", "approval", "approve", askedId), /Another person must approve it/);
  await as("finn", "approval", "approve", askedId);
  await as("fay", ...setForMerchant);
  const [rule, ...others] = await findFeeRules(owner, clientId);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(rule, { clientId, paymentMethodType: "GCASH", currency: "PHP" });
  assert.partialDeepStrictEqual(rule?.terms, {
    rateMillionths: 18_500n,
    fixedMinor: 1_000n,
    taxMillionths: 120_000n,
    refundPolicy: "return rate",
  });
  const [noted] = await run("select subject, after from audit where act = 'fee set'");
  assert.partialDeepStrictEqual(noted, {
    subject: `${clientId}, GCASH, PHP from ${tomorrow}`,
    after: { rate: "1.85 %", fixedMinor: "1000", tax: "12 %", refundPolicy: "return rate" },
  });
});

test("an approval is valid for that rule only", async () => {
  const another = setForMerchant.map((word) => (word === "1.85" ? "1.86" : word));
  await assert.rejects(as("finn", ...another), /needs an approval/);
});

test("FX rates need the approval of another person of finance, too, and apply at once", async () => {
  const set = [
    "fx",
    "rate",
    "set",
    "--pair",
    "EUR/USD",
    "--price",
    "1.0872",
    "--margin",
    "0.4",
    "--until",
    tomorrow,
  ];
  let askedId = "";
  await assert.rejects(as("fay", ...set), ({ message }) => {
    askedId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return true;
  });
  assert.deepEqual(await findQuotes(owner, 10), []);
  await as("finn", "approval", "approve", askedId);
  await assert.rejects(as("fay", ...set, "--from", tomorrow), /needs an approval/, "another one");
  await as("fay", ...set);
  const [quote, ...others] = await findQuotes(owner, 10);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(quote, {
    price: "1.0828512",
    untilAt: startOfAccountingDay(nextAccountingDay(tomorrow)),
  });
  assert.ok(quote && quote.fromAt <= new Date());
  await assert.rejects(as("fay", ...set), /needs an approval/, "an approval is for once");
});

test("a rule begins at a future midnight, and fixed amounts need a currency", async () => {
  const from = (day: string, more: object = {}): Promise<unknown> =>
    setFeeRule(owner, { ...everybody, from: day, terms: { ...termsAtRate(290), ...more } });
  await assert.rejects(from(accountingDayOf(new Date())), /is in the past or less than a minute away/);
  await assert.rejects(from("2027-02-29"), /A rule begins at midnight UTC\+8/);
  await assert.rejects(from("2027-01-01T00:00:00.000Z"), /A rule begins at midnight UTC\+8/);
  await assert.rejects(from(tomorrow, { fixedMinor: 1n }), /with --currency/);
  await assert.rejects(from(tomorrow, { maximumMinor: 1n }), /with --currency/);
  const odd = { ...everybody, currency: "EUR", from: tomorrow };
  const tooLittle = { ...termsAtRate(1), minimumMinor: 2n, maximumMinor: 1n };
  await assert.rejects(setFeeRule(owner, { ...odd, terms: tooLittle }), /less than the minimum/);
  await assert.rejects(
    setFeeRule(owner, { ...odd, currency: "EURO", terms: termsAtRate(1) }),
    /is not a currency code/,
  );
  await assert.rejects(
    setFeeRule(owner, { ...odd, clientId: "NOBODY", terms: termsAtRate(1) }),
    /no client NOBODY/,
  );
  for (const rate of ["2,9", "-1", "20.0001", "1.23456", ""])
    await assert.rejects(as("fay", "fee", "set", `--rate=${rate}`, "--from", tomorrow));
});

test("fee rules are append-only for every login", async () => {
  for (const statement of [
    "update fee_rules set rate_millionths = 1",
    "delete from fee_rules",
    "truncate fee_rules",
  ])
    await assert.rejects(run(statement), { code: "23001" }, statement);
});

test("the fee of a payment is reported for any time, and every process loads a future rule in time", async () => {
  const opened = openDatabase({
    url: database.appUrl,
    applicationName: "fees",
    connectionsMax: 2,
    onFault: () => undefined,
  });
  after(() => opened.close());
  const directory = openClientDirectory(opened, () => performance.now());
  const known = async (): Promise<number | undefined> => (await directory.find(clientId))?.feeRules.length;
  assert.equal(await known(), 1);
  await setFeeRule(owner, { ...everybody, from: tomorrow, terms: termsAtRate(310) });
  await directory.refresh();
  assert.equal(await known(), 2, "a rule for everybody is a change of every client");
  await directory.refresh();
  assert.equal(await known(), 2);

  const midnightMs = Date.parse(`${tomorrow}T00:00:00+08:00`);
  const asked = { clientId, paymentMethodType: "GCASH", currency: "PHP", amountMinor: 125_000n };
  const at = (ms: number, more: object = {}): ReturnType<typeof findFee> =>
    findFee(owner, { ...asked, ...more, at: new Date(midnightMs + ms) });
  assert.equal((await at(-1)).rule, undefined);
  const [own, everybodys] = [await at(0), await at(0, { currency: "EUR" })];
  // 1.85 % of 1250.00 is 23.125, and 12 % of 33.12 is 3.9744.
  assert.deepEqual(own.onAmount, { amountMinor: 125_000n, feeMinor: 3_312n, taxMinor: 397n });
  assert.deepEqual(everybodys.onAmount, { amountMinor: 125_000n, feeMinor: 3_875n, taxMinor: 0n });
  assert.match(
    shownFeeText(own, "PHP"),
    /1\.85 % \+ PHP 10\.00[^]*return rate[^]*PHP 33\.12, plus tax of PHP 3\.97/,
  );
  assert.match(shownFeeText(await at(-1), "PHP"), /no rule applies/);
  const table = feeRuleTable(await findFeeRules(owner, undefined), new Date());
  assert.match(table, new RegExp(`${tomorrow} +everybody +all +all +3\\.1 % .*future`));
});

test("a provider's cost needs an existing connector", async () => {
  await assert.rejects(
    as("fay", "fee", "cost", "set", "--connector", "nobody", "--rate", "1", "--from", "2026-01-01"),
    /nobody/,
  );
  const { publicKeyFile } = await newKeyPair("provider");
  const gcash = { name: "gcash", url: "https://wallet.example", partnerId: "us", simulator: false };
  await addConnector(database.ownerUrl, "live", { ...gcash, publicKeyFile, paymentMethodTypes: ["GCASH"] });
  await as("fay", "fee", "cost", "set", "--connector", "gcash", "--rate", "1.2", "--from", "2026-01-01");
  assert.partialDeepStrictEqual(await findProviderCosts(owner, "gcash"), [
    { connector: "gcash", rateMillionths: 12_000n, fixedMinor: 0n },
  ]);
});

test("a provider's deductions of a day are compared with its contract, with one unit per payment for rounding", async () => {
  const at = "2026-02-01T16:00:00.000Z";
  const { paymentId } = await givenPayment(database, clientId, {
    paymentMethodType: "GCASH",
    currency: "PHP",
  });
  const row = (
    kind: string,
    reference: string,
    minor: number,
    when: string,
    id = "unknown",
  ): Promise<unknown> =>
    run(`insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
      values ('gcash', '${kind}', '${reference}', '', '${id}', 'PHP', ${minor}, '${when}', 1, 1)`);
  await row("payment", "a", 10_000, at, paymentId);
  await row("payment", "b", 10_050, at);
  await row("payment", "the day before", 10_000, "2026-02-01T15:59:59.999Z");
  await row("refund", "c", 5_000, at);
  const compared = async (): Promise<readonly object[]> =>
    compareProviderCosts(owner, { connector: undefined, day: "2026-02-02" });
  const ofDay = { connector: "gcash", currency: "PHP", paymentId: undefined, count: 2, unknownCount: 0 };
  // 1.2 % of 100.00, and of 100.50, which is 1.206.
  const sums = { expectedMinor: 241n, keptMinor: 0n };
  assert.deepEqual(await compared(), [{ ...ofDay, ...sums, isDifferent: true }]);
  await row("fee", "f", 239, at, "");
  // The provider's file has a fee that was returned with a refund. The contract has no amount for it, so it does not
  // count.
  await row("fee", "back", -50, at, "");
  assert.deepEqual(await compared(), [{ ...ofDay, ...sums, keptMinor: 239n, isDifferent: false }]);
  await row("fee", "g", 5, at, "");
  assert.partialDeepStrictEqual(await compared(), [{ keptMinor: 244n, isDifferent: true }]);
  // A more expensive contract for the payment method of only one of the payments.
  const gcash = { connector: "gcash", paymentMethodType: "GCASH", currency: "PHP" };
  const dearer = { rateMillionths: 12_000n, fixedMinor: 3n };
  await setProviderCost(owner, { ...gcash, ...dearer, from: "2026-02-02" });
  assert.partialDeepStrictEqual(await compared(), [{ expectedMinor: 244n, isDifferent: false }]);
  const quietDay = await compareProviderCosts(owner, { connector: "gcash", day: "2025-12-31" });
  assert.equal(comparedCostTable(quietDay), "The providers' files have no movements on that day.");
});

test("payments without a contract are reported", async () => {
  await run(
    `insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
     values ('gcash', 'payment', 'old', '', 'unknown', 'PHP', 100, '2025-06-01T00:00:00Z', 1, 1)`,
  );
  const compared = await compareProviderCosts(owner, { connector: "gcash", day: "2025-06-01" });
  assert.partialDeepStrictEqual(compared, [{ unknownCount: 1, expectedMinor: 0n, isDifferent: false }]);
  assert.match(comparedCostTable(compared), / 1 without a contract/);
});

test("support can read rules, costs and the fee of a payment", async () => {
  await look("finn", "fee", "list", "--client-id", clientId);
  await look("finn", "fee", "cost", "list");
  await look("finn", "fee", "cost", "compare", "--day", "2024-06-01");
  await look(
    "finn",
    "fee",
    "show",
    "--client-id",
    clientId,
    "--currency",
    "PHP",
    "--at",
    "1h",
    "--amount",
    "125000",
  );
});

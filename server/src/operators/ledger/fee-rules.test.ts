import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accountingDayOf, nextAccountingDay, startOfAccountingDay } from "../../core/accounting-day.ts";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { openDatabase } from "../../postgres/database.ts";
import { openClientDirectory } from "../../merchants/client-directory.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { addConnector } from "../providers/connector-settings.ts";
import { findQuotes } from "./fx.ts";
import { findFee, findFeeRules, feeRuleTable, setFeeRule, feeDetailsText } from "./fee-rules.ts";
import { flatRateTerms } from "../../ledger/fee.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import {
  compareProviderCosts,
  costComparisonTable,
  findProviderCosts,
  setProviderCost,
} from "../reconciliation/contract-costs.ts";

/** These tests check fee rules in live. Fay and Finn have the role finance, each with a database login. */
const { database, operatorVariables } = await prepareTestGateway("live");
Object.assign(process.env, operatorVariables);
const owner = { url: database.ownerUrl, environment: "live", by: { alone: true, reason: "a test" } } as const;
const { clientId } = await newMerchant(database);
const people = { fay: "finance", finn: "finance" } as const;
type Person = keyof typeof people;
const { urlOf } = await createStaffLogins(database, people);
const tomorrow = nextAccountingDay(accountingDayOf(new Date(Date.now() + 600_000)));
const everybody = { clientId: undefined, paymentMethodType: undefined, currency: undefined } as const;
const run = (statement: string): Promise<readonly object[]> =>
  asSuperuser(statement, [], database.superuserUrl);

/** Runs a read-only command with this person's login. */
async function runCommand(person: Person, ...args: readonly string[]): Promise<void> {
  process.env["TOLLGATE_OWNER_DATABASE_URL"] = urlOf(person);
  const commandLine = readCommandLine(args, operatorCommands);
  assert.ok(commandLine.action === "run");
  await operatorCommands[commandLine.name]?.run(commandLine.args);
}

/** Runs a command that changes something. */
const withActor = (person: Person, ...words: readonly string[]): Promise<void> =>
  runCommand(person, ...words, "--as", person, "--reason", "a test");

const setForMerchant =
  `fee set --client-id ${clientId} --method GCASH --currency PHP --rate 1.85 --fixed 1000 --tax 12 --on-refund return-rate --from ${tomorrow}`.split(
    " ",
  );

test("in live a fee rule needs the approval of another person of finance, who sees the change", async () => {
  let requestId = "";
  await assert.rejects(withActor("fay", ...setForMerchant), ({ message }) => {
    requestId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return true;
  });
  assert.deepEqual(await findFeeRules(owner, undefined), []);
  await assert.rejects(withActor("fay", "approval", "approve", requestId), /Another person must approve it/);
  await withActor("finn", "approval", "approve", requestId);
  await withActor("fay", ...setForMerchant);
  const [rule, ...otherRules] = await findFeeRules(owner, clientId);
  assert.deepEqual(otherRules, []);
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
  await assert.rejects(withActor("finn", ...another), /needs an approval/);
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
  await assert.rejects(withActor("fay", ...set), ({ message }) => {
    askedId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return true;
  });
  assert.deepEqual(await findQuotes(owner, 10), []);
  await withActor("finn", "approval", "approve", askedId);
  await assert.rejects(withActor("fay", ...set, "--from", tomorrow), /needs an approval/, "another one");
  await withActor("fay", ...set);
  const [quote, ...others] = await findQuotes(owner, 10);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(quote, {
    price: "1.0828512",
    untilAt: startOfAccountingDay(nextAccountingDay(tomorrow)),
  });
  assert.ok(quote && quote.fromAt <= new Date());
  await assert.rejects(withActor("fay", ...set), /needs an approval/, "an approval is for once");
});

test("a rule begins at a future midnight, and fixed amounts need a currency", async () => {
  const addRuleFrom = (day: string, fields: object = {}): Promise<unknown> =>
    setFeeRule(owner, { ...everybody, from: day, terms: { ...flatRateTerms(290), ...fields } });
  await assert.rejects(addRuleFrom(accountingDayOf(new Date())), /is in the past or less than a minute away/);
  await assert.rejects(addRuleFrom("2027-02-29"), /A rule begins at midnight UTC\+8/);
  await assert.rejects(addRuleFrom("2027-01-01T00:00:00.000Z"), /A rule begins at midnight UTC\+8/);
  await assert.rejects(addRuleFrom(tomorrow, { fixedMinor: 1n }), /with --currency/);
  await assert.rejects(addRuleFrom(tomorrow, { maximumMinor: 1n }), /with --currency/);
  const invalid = { ...everybody, currency: "EUR", from: tomorrow };
  const tooLittle = { ...flatRateTerms(1), minimumMinor: 2n, maximumMinor: 1n };
  await assert.rejects(setFeeRule(owner, { ...invalid, terms: tooLittle }), /less than the minimum/);
  await assert.rejects(
    setFeeRule(owner, { ...invalid, currency: "EURO", terms: flatRateTerms(1) }),
    /is not a currency code/,
  );
  await assert.rejects(
    setFeeRule(owner, { ...invalid, clientId: "NOBODY", terms: flatRateTerms(1) }),
    /no client NOBODY/,
  );
  for (const rate of ["2,9", "-1", "20.0001", "1.23456", ""])
    await assert.rejects(withActor("fay", "fee", "set", `--rate=${rate}`, "--from", tomorrow));
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
  const feesDatabase = openDatabase({
    url: database.appUrl,
    applicationName: "fees",
    connectionsMax: 2,
    onFault: () => undefined,
  });
  after(() => feesDatabase.close());
  const directory = openClientDirectory(feesDatabase, () => performance.now());
  const loadedRuleCount = async (): Promise<number | undefined> =>
    (await directory.find(clientId))?.feeRules.length;
  assert.equal(await loadedRuleCount(), 1);
  await setFeeRule(owner, { ...everybody, from: tomorrow, terms: flatRateTerms(310) });
  await directory.refresh();
  assert.equal(await loadedRuleCount(), 2, "a rule for everybody is a change of every client");
  await directory.refresh();
  assert.equal(await loadedRuleCount(), 2);

  const midnightMs = Date.parse(`${tomorrow}T00:00:00+08:00`);
  const asked = { clientId, paymentMethodType: "GCASH", currency: "PHP", amountMinor: 125_000n };
  const findFeeAt = (ms: number, more: object = {}): ReturnType<typeof findFee> =>
    findFee(owner, { ...asked, ...more, at: new Date(midnightMs + ms) });
  assert.equal((await findFeeAt(-1)).rule, undefined);
  const [merchantFee, everybodys] = [await findFeeAt(0), await findFeeAt(0, { currency: "EUR" })];
  // 1.85 % of 1250.00 is 23.125, and 12 % of 33.12 is 3.9744.
  assert.deepEqual(merchantFee.onAmount, { amountMinor: 125_000n, feeMinor: 3_312n, taxMinor: 397n });
  assert.deepEqual(everybodys.onAmount, { amountMinor: 125_000n, feeMinor: 3_875n, taxMinor: 0n });
  assert.match(
    feeDetailsText(merchantFee, "PHP"),
    /1\.85 % \+ PHP 10\.00[^]*return rate[^]*PHP 33\.12, plus tax of PHP 3\.97/,
  );
  assert.match(feeDetailsText(await findFeeAt(-1), "PHP"), /no rule applies/);
  const table = feeRuleTable(await findFeeRules(owner, undefined), new Date());
  assert.match(table, new RegExp(`${tomorrow} +everybody +all +all +3\\.1 % .*future`));
});

test("a provider's cost needs an existing connector", async () => {
  await assert.rejects(
    withActor("fay", "fee", "cost", "set", "--connector", "nobody", "--rate", "1", "--from", "2026-01-01"),
    /nobody/,
  );
  const { publicKeyFile } = await newKeyPair("provider");
  const gcash = { name: "gcash", url: "https://wallet.example", partnerId: "us", simulator: false };
  await addConnector(database.ownerUrl, "live", { ...gcash, publicKeyFile, paymentMethodTypes: ["GCASH"] });
  await withActor(
    "fay",
    "fee",
    "cost",
    "set",
    "--connector",
    "gcash",
    "--rate",
    "1.2",
    "--from",
    "2026-01-01",
  );
  assert.partialDeepStrictEqual(await findProviderCosts(owner, "gcash"), [
    { connector: "gcash", rateMillionths: 12_000n, fixedMinor: 0n },
  ]);
});

test("a provider's deductions of a day are compared with its contract, with one unit per payment for rounding", async () => {
  const at = "2026-02-01T16:00:00.000Z";
  const { paymentId } = await insertTestPayment(database, clientId, {
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
  const compareCosts = async (): Promise<readonly object[]> =>
    compareProviderCosts(owner, { connector: undefined, day: "2026-02-02" });
  const scope = { connector: "gcash", currency: "PHP", paymentId: undefined, reference: undefined };
  const ofDay = { ...scope, count: 2, unknownCount: 0 };
  // 1.2 % of 100.00, and of 100.50, which is 1.206.
  const sums = { expectedMinor: 241n, keptMinor: 0n };
  assert.deepEqual(await compareCosts(), [{ ...ofDay, ...sums, isDifferent: true }]);
  await row("fee", "f", 239, at, "");
  // The provider's file has a fee that was returned with a refund. The contract has no amount for it, so it does not
  // count.
  await row("fee", "back", -50, at, "");
  assert.deepEqual(await compareCosts(), [{ ...ofDay, ...sums, keptMinor: 239n, isDifferent: false }]);
  await row("fee", "g", 5, at, "");
  assert.partialDeepStrictEqual(await compareCosts(), [{ keptMinor: 244n, isDifferent: true }]);
  // A more expensive contract for the payment method of only one of the payments.
  const gcash = { connector: "gcash", paymentMethodType: "GCASH", currency: "PHP" };
  const dearer = { rateMillionths: 12_000n, fixedMinor: 3n };
  await setProviderCost(owner, { ...gcash, ...dearer, from: "2026-02-02" });
  assert.partialDeepStrictEqual(await compareCosts(), [{ expectedMinor: 244n, isDifferent: false }]);
  const quietDay = await compareProviderCosts(owner, { connector: "gcash", day: "2025-12-31" });
  assert.equal(costComparisonTable(quietDay), "The providers' files have no movements on that day.");
});

test("payments without a contract are reported", async () => {
  await run(
    `insert into settlement_rows (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line)
     values ('gcash', 'payment', 'old', '', 'unknown', 'PHP', 100, '2025-06-01T00:00:00Z', 1, 1)`,
  );
  const compared = await compareProviderCosts(owner, { connector: "gcash", day: "2025-06-01" });
  assert.partialDeepStrictEqual(compared, [{ unknownCount: 1, expectedMinor: 0n, isDifferent: false }]);
  assert.match(costComparisonTable(compared), / 1 without a contract/);
});

test("support can read rules, costs and the fee of a payment", async () => {
  await runCommand("finn", "fee", "list", "--client-id", clientId);
  await runCommand("finn", "fee", "cost", "list");
  await runCommand("finn", "fee", "cost", "compare", "--day", "2024-06-01");
  await runCommand(
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

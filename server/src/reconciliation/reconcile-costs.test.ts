import assert from "node:assert/strict";
import { test } from "node:test";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { newTestDatabase } from "../../test/start/test-database.ts";
import { newKeyPair, writeTestFile } from "../../test/start/test-gateway.ts";
import type { StoredBreak } from "./break.sql.ts";
import { writeOffBreak } from "./breaks.workflow.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { reconcile } from "./reconcile.workflow.ts";
import { importSettlementFile } from "./import-settlement-file.workflow.ts";
import { setProviderCost } from "../operators/reconciliation/contract-costs.ts";

/** These tests compare providers' fees in their own files with their contracts. */
const database = await newTestDatabase("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const providers = ["by-day", "by-payment", "by-row", "without-contract"] as const;
type Provider = (typeof providers)[number];
const { publicKeyFile } = await newKeyPair("provider");
for (const name of providers)
  await addConnector(database.ownerUrl, "sandbox", {
    name,
    url: "https://wallet.example",
    partnerId: "us",
    simulator: false,
    publicKeyFile,
    paymentMethodTypes: ["GCASH"],
  });
const contract = { paymentMethodType: undefined, currency: undefined, fixedMinor: 0n, from: "2026-11-01" };
for (const connector of ["by-day", "by-payment", "by-row"])
  await setProviderCost(operator, { ...contract, connector, rateMillionths: 12_000n });

let files = 0;
/**
 * Imports a provider's file with rows such as `payment A 10000 2026-11-10T01:00:00Z`; a fee may name its payment. The
 * last columns of a row follow a comma.
 */
async function importRows(connector: Provider, ...rows: readonly string[]): Promise<void> {
  files += 1;
  const lines = rows.map((row) => {
    const [kind = "", name = "", minor = "", time = "", referencedPayment = kind === "fee" ? "-" : name] =
      row.split(" ");
    const payment = referencedPayment === "-" ? "" : referencedPayment;
    const references = [
      payment && `r-${payment}`,
      kind === "payout" ? name : `r-${name}`,
      payment && `p-${payment}`,
    ];
    return [kind, ...references, "EUR", minor, time].join(",");
  });
  const file = writeTestFile(`${connector}-${files}.csv`, settlementCsv(lines));
  await importSettlementFile(operator, { connector, file });
}

const differences = async (day?: string): Promise<readonly StoredBreak[]> => {
  const { breaks } = await reconcile(operator, { connector: undefined, until: undefined, day });
  return breaks.filter(({ kind }) => kind === "provider fee differs");
};
const describeBreak = ({ connector, reference, paymentId, sums, at }: StoredBreak): string =>
  `${connector} ${reference} ${paymentId ?? "-"} ${sums.expected?.minor} ${sums.provider?.minor} ${at?.toISOString()}`;
const tenth = "2026-11-09T16:00:00.000Z";

test("a day's fees are compared when the provider's files cover the whole day, with one unit per payment for rounding", async () => {
  await importRows(
    "by-day",
    "payment A 10000 2026-11-09T16:00:00Z",
    "payment B 10000 2026-11-10T15:59:59Z",
    "fee F1 300 2026-11-10T10:00:00Z",
  );
  assert.deepEqual(await differences(), [], "more of the day may come");
  await importRows("by-day", "payment C 10000 2026-11-11T01:00:00Z", "fee F2 122 2026-11-11T02:00:00Z");
  await importRows("by-day", "payment D 10000 2026-11-12T01:00:00Z");
  const found = await differences();
  // On the first day 1.2 % of 100.00 is expected twice. On the next day 1.20 is expected, and 1.22 is two units off for
  // one payment.
  assert.deepEqual(found.map(describeBreak), [
    `by-day 2026-11-10 - 240 300 ${tenth}`,
    "by-day 2026-11-11 - 120 122 2026-11-10T16:00:00.000Z",
  ]);
  await assert.rejects(
    writeOffBreak(operator, found[0]?.breakId ?? 0, { by: "ada", reason: "small" }),
    /cannot be written off/,
  );
});

test("a run of another day compares unresolved days again, and resolves those that the provider corrected", async () => {
  assert.equal((await differences("2026-11-12")).length, 2);
  // That day had another contract.
  await setProviderCost(operator, {
    ...contract,
    connector: "by-day",
    rateMillionths: 15_000n,
    from: "2026-11-10",
  });
  await setProviderCost(operator, {
    ...contract,
    connector: "by-day",
    rateMillionths: 12_000n,
    from: "2026-11-11",
  });
  assert.deepEqual(
    (await differences("2026-11-12")).map(({ reference }) => reference),
    ["2026-11-11"],
  );
  assert.deepEqual(
    (await differences()).map(({ reference }) => reference),
    ["2026-11-11"],
  );
});

test("fees that name their payments are compared one by one, on whatever day they were reported", async () => {
  await importRows(
    "by-payment",
    "payment E 10000 2026-11-10T01:00:00Z",
    "payment G 20000 2026-11-10T02:00:00Z",
    "capture H1 5000 2026-11-10T03:00:00Z H",
    "fee FE 120 2026-11-10T01:00:00Z E",
    "fee FG 300 2026-11-10T02:00:00Z G",
  );
  await importRows(
    "by-payment",
    "capture H2 5000 2026-11-13T03:00:00Z H",
    // The fees of payment H are reported later. The fee BE was returned with a refund; the contract has no amount for
    // it.
    "fee FH1 60 2026-11-11T03:00:00Z H",
    "fee FH2 60 2026-11-13T03:00:00Z H",
    "fee BE -120 2026-11-13T03:00:00Z E",
    "payment I 10000 2026-11-13T02:00:00Z",
    "payment J 10000 2026-11-15T02:00:00Z",
  );
  const ownBreaks = (await differences("2026-11-10")).filter(({ connector }) => connector === "by-payment");
  assert.deepEqual(ownBreaks.map(describeBreak), [`by-payment p-G p-G 240 300 ${tenth}`]);
  const allBreaks = (await differences()).filter(({ connector }) => connector === "by-payment");
  assert.deepEqual(allBreaks.map(describeBreak), [
    `by-payment p-G p-G 240 300 ${tenth}`,
    // The provider deducted no fee at all for payment I.
    "by-payment p-I p-I 120 0 2026-11-12T16:00:00.000Z",
  ]);
});

test("fees in the column of their row are compared row by row, and fees of refunds have no contract", async () => {
  await importRows(
    "by-row",
    "payment M 10000 2026-11-10T01:00:00Z,EUR,120",
    "payment N 20000 2026-11-10T02:00:00Z,EUR,300",
    // The fees of the captures of payment O are together as the contract says, but each is wrong.
    "capture O1 5000 2026-11-10T03:00:00Z,EUR,50 O",
    "capture O2 5000 2026-11-10T03:00:00Z,EUR,70 O",
    "payment P 10000 2026-11-10T04:00:00Z",
    "refund M1 10000 2026-11-10T05:00:00Z,EUR,25 M",
  );
  await importRows("by-row", "payment Q 10000 2026-11-15T02:00:00Z,EUR,120");
  const found = (await differences("2026-11-10")).filter(({ connector }) => connector === "by-row");
  assert.deepEqual(
    found.map(describeBreak).toSorted(),
    [
      `by-row r-N p-N 240 300 ${tenth}`,
      `by-row r-O1 p-O 60 50 ${tenth}`,
      `by-row r-O2 p-O 60 70 ${tenth}`,
      `by-row r-P p-P 120 0 ${tenth}`,
    ].toSorted(),
  );
});

test("the rows of a payout must add up to it, and a payout without a row is missing after its value date", async () => {
  const payouts = async (day?: string): Promise<readonly string[]> => {
    const { breaks } = await reconcile(operator, { connector: undefined, until: undefined, day });
    return breaks
      .filter(({ kind }) => kind === "provider payout differs")
      .map(({ reference, sums }) => `${reference} ${sums.expected?.minor} ${sums.provider?.minor}`);
  };
  await importRows(
    "without-contract",
    "payment R 10000 2026-11-16T01:00:00Z,EUR,120,po-1,2026-11-17",
    "refund R1 3000 2026-11-16T02:00:00Z,,,po-1 R",
    "payment S 5000 2026-11-16T03:00:00Z,,,po-1",
    "payment T 700 2026-11-16T03:00:00Z,,,po-2,2026-11-18",
    "payment U 900 2026-11-16T03:00:00Z",
    "payout po-1 11780 2026-11-17T00:00:00Z,,,po-1 -",
  );
  assert.deepEqual(await payouts(), [], "the file ends with the payout, so more may come");
  await importRows("without-contract", "payment V 100 2026-11-18T23:59:59Z");
  assert.deepEqual(await payouts("2026-11-17"), ["po-1 11880 11780"]);
  assert.deepEqual(await payouts(), ["po-1 11880 11780"]);
  await importRows(
    "without-contract",
    "payment W 100 2026-11-20T00:00:00Z",
    "adjustment X -100 2026-11-17T00:00:00Z,,,po-1 -",
  );
  // The payout of a row may be named in a later file, and its first payout counts.
  await importRows("without-contract", "payment U 900 2026-11-16T03:00:00Z,,,po-3,2026-11-18");
  await importRows("without-contract", "payment U 900 2026-11-16T03:00:00Z,,,po-4,2026-11-18");
  assert.deepEqual((await payouts()).toSorted(), ["po-2 700 0", "po-3 900 0"]);
  assert.deepEqual((await payouts("2026-11-12")).toSorted(), ["po-2 700 0", "po-3 900 0"]);
});

test("without a contract no fee is expected from a provider", async () => {
  await importRows(
    "without-contract",
    "payment K 10000 2026-11-10T01:00:00Z",
    "fee FK 9000 2026-11-10T01:00:00Z",
  );
  await importRows("without-contract", "payment L 10000 2026-11-15T01:00:00Z");
  assert.ok((await differences()).every(({ connector }) => connector !== "without-contract"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestDatabase } from "../../test/start/test-database.ts";
import { newKeyPair, writeTestFile } from "../../test/start/test-gateway.ts";
import type { KnownBreak } from "../reconciliation/break.sql.ts";
import { writeOffBreak } from "./break.ts";
import { addConnector } from "./connector.ts";
import { match } from "./match.ts";
import { importSettlement } from "./settlement.ts";
import { setWalletCost } from "./wallet-cost.ts";

/** What wallets keep, by their own files, against their contracts. */
const database = await newTestDatabase("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const header = "kind,reference,operationReference,paymentId,currency,amountMinor,time";
const wallets = ["by-day", "by-payment", "without-contract"] as const;
type Wallet = (typeof wallets)[number];
const { publicKeyFile } = await newKeyPair("wallet");
for (const name of wallets)
  await addConnector(database.ownerUrl, "sandbox", {
    name,
    url: "https://wallet.example",
    partnerId: "us",
    simulator: false,
    publicKeyFile,
    paymentMethodTypes: ["GCASH"],
  });
const contract = { paymentMethodType: undefined, currency: undefined, fixedMinor: 0n, from: "2026-11-01" };
for (const connector of ["by-day", "by-payment"])
  await setWalletCost(operator, { ...contract, connector, rateMillionths: 12_000n });

let files = 0;
/** Takes in a file of rows such as `payment A 10000 2026-11-10T01:00:00Z`; a fee may name its payment. */
async function told(connector: Wallet, ...rows: readonly string[]): Promise<void> {
  files += 1;
  const lines = rows.map((row) => {
    const [kind = "", name = "", minor = "", time = "", of = kind === "fee" ? "" : name] = row.split(" ");
    return [kind, of && `r-${of}`, `r-${name}`, of && `p-${of}`, "EUR", minor, time].join(",");
  });
  const file = writeTestFile(`${connector}-${files}.csv`, [header, ...lines, ""].join("\n"));
  await importSettlement(operator, { connector, file });
}

const differences = async (day?: string): Promise<readonly KnownBreak[]> => {
  const { breaks } = await match(operator, { connector: undefined, until: undefined, day });
  return breaks.filter(({ kind }) => kind === "wallet fee differs");
};
const inWords = ({ connector, reference, paymentId, sums, at }: KnownBreak): string =>
  `${connector} ${reference} ${paymentId ?? "-"} ${sums.expected?.minor} ${sums.wallet?.minor} ${at?.toISOString()}`;
const tenth = "2026-11-09T16:00:00.000Z";

test("a day's fees are compared when the wallet's files have all of it, with a unit for each payment to round", async () => {
  await told(
    "by-day",
    "payment A 10000 2026-11-09T16:00:00Z",
    "payment B 10000 2026-11-10T15:59:59Z",
    "fee F1 300 2026-11-10T10:00:00Z",
  );
  assert.deepEqual(await differences(), [], "more of the day may come");
  await told("by-day", "payment C 10000 2026-11-11T01:00:00Z", "fee F2 122 2026-11-11T02:00:00Z");
  await told("by-day", "payment D 10000 2026-11-12T01:00:00Z");
  const found = await differences();
  // 1.2 % of 100.00 and again; and 1.20 of the day after, of which 1.22 is two units away from one payment.
  assert.deepEqual(found.map(inWords), [
    `by-day 2026-11-10 - 240 300 ${tenth}`,
    "by-day 2026-11-11 - 120 122 2026-11-10T16:00:00.000Z",
  ]);
  await assert.rejects(
    writeOffBreak(operator, found[0]?.breakId ?? 0, { by: "ada", reason: "small" }),
    /not put right by money/,
  );
});

test("a run of another day finds those that are not resolved, and what the wallet mends is resolved", async () => {
  assert.equal((await differences("2026-11-12")).length, 2);
  // The contract of that day was another one.
  await setWalletCost(operator, {
    ...contract,
    connector: "by-day",
    rateMillionths: 15_000n,
    from: "2026-11-10",
  });
  await setWalletCost(operator, {
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

test("fees that name their payments are compared one by one, on whatever day they were told", async () => {
  await told(
    "by-payment",
    "payment E 10000 2026-11-10T01:00:00Z",
    "payment G 20000 2026-11-10T02:00:00Z",
    "capture H1 5000 2026-11-10T03:00:00Z H",
    "fee FE 120 2026-11-10T01:00:00Z E",
    "fee FG 300 2026-11-10T02:00:00Z G",
  );
  await told(
    "by-payment",
    "capture H2 5000 2026-11-13T03:00:00Z H",
    // Told later, and given back with a refund: no contract says how much.
    "fee FH1 60 2026-11-11T03:00:00Z H",
    "fee FH2 60 2026-11-13T03:00:00Z H",
    "fee BE -120 2026-11-13T03:00:00Z E",
    "payment I 10000 2026-11-13T02:00:00Z",
    "payment J 10000 2026-11-15T02:00:00Z",
  );
  const own = (await differences("2026-11-10")).filter(({ connector }) => connector === "by-payment");
  assert.deepEqual(own.map(inWords), [`by-payment p-G p-G 240 300 ${tenth}`]);
  const whole = (await differences()).filter(({ connector }) => connector === "by-payment");
  assert.deepEqual(whole.map(inWords), [
    `by-payment p-G p-G 240 300 ${tenth}`,
    // Nothing was kept of it at all.
    "by-payment p-I p-I 120 0 2026-11-12T16:00:00.000Z",
  ]);
});

test("of a wallet without a contract nothing is expected", async () => {
  await told("without-contract", "payment K 10000 2026-11-10T01:00:00Z", "fee FK 9000 2026-11-10T01:00:00Z");
  await told("without-contract", "payment L 10000 2026-11-15T01:00:00Z");
  assert.ok((await differences()).every(({ connector }) => connector !== "without-contract"));
});

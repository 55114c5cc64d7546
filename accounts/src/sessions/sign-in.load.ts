import assert from "node:assert/strict";
import { test } from "node:test";
import { registered, startTestAccounts } from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const quarterMs = 15 * 60_000 + 1_000;
const samples = 600;
/** So small a difference has to be noticed, or nothing is shown: it is what an attempt at a known address took longer before all were told at the same times. */
const noticedMs = 0.5;
const nobody = "nobody@shop.example";
const guess = { password: "another horse", code: "000000" };

const tryAs = async (browser: TestBrowser, email: string): Promise<unknown> =>
  (await browser.post("/accounts/sign-in/password", { ...guess, email })).json["refusal"];

test("of ten thousand guesses at one account ten from one network count, and a hundred from two hundred", async (t) => {
  for (const [addresses, counted] of [
    [1, 10],
    [200, 100],
  ] as const) {
    const { email } = await registered(accounts);
    const browsers = Array.from({ length: addresses }, () => accounts.browser());
    let taken = 0;
    for (let round = 0; round < 10_000 / 50; round += 1) {
      const refusals = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          tryAs(browsers[(round * 50 + index) % addresses] ?? accounts.browser(), email),
        ),
      );
      taken += refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length;
    }
    t.diagnostic(`from ${addresses}: ${taken} of 10,000 were looked at`);
    assert.equal(taken, counted);
  }
});

test("how long a refusal takes does not tell whether an address has an account", async (t) => {
  const { email } = await registered(accounts);
  const measure = async (pairs: number): Promise<Judged> => {
    const differencesMs = await timeInTurns(email, pairs);
    const judged = judge(differencesMs);
    t.diagnostic(`known less unknown, ${pairs} pairs: ${told(judged)}`);
    // A check that cannot fail shows nothing: so much would have been noticed.
    const noticed = judge(differencesMs.map((each) => each + noticedMs));
    assert.ok(noticed.byRank < 0.05, `${noticedMs} ms more would not have been noticed: ${told(noticed)}`);
    return judged;
  };
  await timeInTurns(email, 50);
  const first = await measure(samples);
  if (first.byMean > 0.05 && first.byRank > 0.05) return;
  // One measurement in twenty is off by chance alone; two in a row, to the same side, are not.
  const second = await measure(samples);
  const isSame = Math.sign(second.middleMs) === Math.sign(first.middleMs);
  assert.ok(!isSame || (second.byMean > 0.05 && second.byRank > 0.05), told(second));
});

/** Attempts at a known and an unknown address in turns, the one or the other first: whatever slows the machine slows both. */
async function timeInTurns(email: string, pairs: number): Promise<readonly number[]> {
  const differencesMs: number[] = [];
  let browser = accounts.browser();
  const timeOf = async (address: string): Promise<number> => {
    const beganAtMs = performance.now();
    assert.equal(await tryAs(browser, address), "SIGN_IN_FAILED");
    return performance.now() - beganAtMs;
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    // Neither limit is reached: time passes before one is.
    if (pair % 9 === 0) {
      accounts.pass(quarterMs);
      browser = accounts.browser();
    }
    const [first, second] = pair % 2 === 0 ? [email, nobody] : [nobody, email];
    const difference = (await timeOf(first)) - (await timeOf(second));
    differencesMs.push(pair % 2 === 0 ? difference : -difference);
  }
  return differencesMs;
}

interface Judged {
  readonly middleMs: number;
  readonly meanMs: number;
  /** Within so much of the mean the true one is, 19 times out of 20. */
  readonly withinMs: number;
  /** How likely a mean that far from nothing is by chance: the paired t-test. With so many samples t is normal. */
  readonly byMean: number;
  /** The same by Wilcoxon's signed-rank test: a pause of the machine counts by its rank, and not by its length. */
  readonly byRank: number;
}

function judge(differencesMs: readonly number[]): Judged {
  const count = differencesMs.length;
  const meanMs = differencesMs.reduce((sum, each) => sum + each, 0) / count;
  const variance = differencesMs.reduce((sum, each) => sum + (each - meanMs) ** 2, 0) / (count - 1);
  const errorMs = Math.sqrt(variance / count);
  const byLength = differencesMs.toSorted((one, other) => Math.abs(one) - Math.abs(other));
  const ranks = byLength.reduce((sum, each, index) => sum + (each > 0 ? index + 1 : 0), 0);
  const rankError = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
  return {
    middleMs: differencesMs.toSorted((one, other) => one - other)[Math.floor(count / 2)] ?? 0,
    meanMs,
    withinMs: 1.96 * errorMs,
    byMean: chanceOf(meanMs / errorMs),
    byRank: chanceOf((ranks - (count * (count + 1)) / 4) / rankError),
  };
}

/** How likely a normal value is at least that far from nothing: the complementary error function, by Abramowitz and Stegun 7.1.26. */
function chanceOf(value: number): number {
  const x = Math.abs(value) / Math.SQRT2;
  const k = 1 / (1 + 0.3275911 * x);
  const series =
    ((((1.061405429 * k - 1.453152027) * k + 1.421413741) * k - 0.284496736) * k + 0.254829592) * k;
  return series * Math.exp(-x * x);
}

function told({ middleMs, meanMs, withinMs, byMean, byRank }: Judged): string {
  const mean = `mean ${meanMs.toFixed(3)} ± ${withinMs.toFixed(3)} ms (p = ${byMean.toFixed(3)})`;
  return `${mean}, median ${middleMs.toFixed(3)} ms (p = ${byRank.toFixed(3)})`;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { registered, startTestAccounts } from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const quarterMs = 15 * 60_000 + 1_000;
const samples = 600;
/**
 * The smallest difference that the test must detect: the additional time for a known address before responses were
 * sent at fixed times.
 */
const noticedMs = 0.5;
const nobody = "nobody@shop.example";
const guess = { password: "another horse", code: "000000" };

const tryAs = async (browser: TestBrowser, email: string): Promise<unknown> =>
  (await browser.post("/accounts/sign-in/password", { ...guess, email })).json["refusal"];

test("of ten thousand guesses at one account, ten from one network are verified, and a hundred from two hundred networks", async (t) => {
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

test("the response time of a refusal does not reveal whether an address has an account (timing attack)", async (t) => {
  const { email } = await registered(accounts);
  const measure = async (pairs: number): Promise<Judged> => {
    const differencesMs = await timeInTurns(email, pairs);
    const judged = judge(differencesMs);
    t.diagnostic(`known less unknown, ${pairs} pairs: ${told(judged)}`);
    // Control: the test adds a known difference to each measurement and must detect it. Otherwise its result proves
    // nothing.
    const noticed = judge(differencesMs.map((each) => each + noticedMs));
    assert.ok(noticed.byRank < 0.05, `${noticedMs} ms more would not have been noticed: ${told(noticed)}`);
    return judged;
  };
  await timeInTurns(email, 50);
  const first = await measure(samples);
  if (first.byMean > 0.05 && first.byRank > 0.05) return;
  // One of twenty measurements is significant by chance, so the test measures again. Two significant differences in the
  // same direction fail it.
  const second = await measure(samples);
  const isSame = Math.sign(second.middleMs) === Math.sign(first.middleMs);
  assert.ok(!isSame || (second.byMean > 0.05 && second.byRank > 0.05), told(second));
});

/** `timeInTurns` alternates attempts at a known and an unknown address, so that a slow machine affects both equally. */
async function timeInTurns(email: string, pairs: number): Promise<readonly number[]> {
  const differencesMs: number[] = [];
  let browser = accounts.browser();
  const timeOf = async (address: string): Promise<number> => {
    const beganAtMs = performance.now();
    assert.equal(await tryAs(browser, address), "SIGN_IN_FAILED");
    return performance.now() - beganAtMs;
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    // The clock advances after every nine pairs, before the attempts reach a rate limit.
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
  /** Half width of the 95 % confidence interval of the mean. */
  readonly withinMs: number;
  /** p-value of the paired t-test. With this many samples, t is normally distributed. */
  readonly byMean: number;
  /** p-value of Wilcoxon's signed-rank test, in which a pause of the machine counts by rank and not by duration. */
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

/**
 * `chanceOf` returns the two-sided p-value of a normal value: the complementary error function by Abramowitz and
 * Stegun 7.1.26.
 */
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

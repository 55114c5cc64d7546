import assert from "node:assert/strict";
import { test } from "node:test";
import { registerPerson, startTestAccounts } from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const quarterHourMs = 15 * 60_000 + 1_000;
const samples = 600;
/**
 * The smallest difference that the test must detect: the additional time for a known address before responses were
 * sent at fixed times.
 */
const detectableMs = 0.5;
const unknownEmail = "nobody@shop.example";
const guess = { password: "another horse", code: "000000" };

const attemptSignIn = async (browser: TestBrowser, email: string): Promise<unknown> =>
  (await browser.post("/accounts/sign-in/password", { ...guess, email })).json["refusal"];

test("of ten thousand guesses at one account, ten from one network are verified, and a hundred from two hundred networks", async (t) => {
  for (const [addresses, counted] of [
    [1, 10],
    [200, 100],
  ] as const) {
    const { email } = await registerPerson(accounts);
    const browsers = Array.from({ length: addresses }, () => accounts.browser());
    let verifiedCount = 0;
    for (let round = 0; round < 10_000 / 50; round += 1) {
      const refusals = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          attemptSignIn(browsers[(round * 50 + index) % addresses] ?? accounts.browser(), email),
        ),
      );
      verifiedCount += refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length;
    }
    t.diagnostic(`from ${addresses}: ${verifiedCount} of 10,000 were looked at`);
    assert.equal(verifiedCount, counted);
  }
});

test("the response time of a refusal does not reveal whether an address has an account (timing attack)", async (t) => {
  const { email } = await registerPerson(accounts);
  const measure = async (pairs: number): Promise<TimingResult> => {
    const differencesMs = await measureAlternately(email, pairs);
    const timing = evaluateTiming(differencesMs);
    t.diagnostic(`known less unknown, ${pairs} pairs: ${formatTiming(timing)}`);
    // Control: the test adds a known difference to each measurement and must detect it. Otherwise its result proves
    // nothing.
    const control = evaluateTiming(differencesMs.map((each) => each + detectableMs));
    assert.ok(
      control.byRank < 0.05,
      `${detectableMs} ms more would not have been noticed: ${formatTiming(control)}`,
    );
    return timing;
  };
  await measureAlternately(email, 50);
  const first = await measure(samples);
  if (first.byMean > 0.05 && first.byRank > 0.05) return;
  // One of twenty measurements is significant by chance, so the test measures again. Two significant differences in the
  // same direction fail it.
  const second = await measure(samples);
  const isSame = Math.sign(second.middleMs) === Math.sign(first.middleMs);
  assert.ok(!isSame || (second.byMean > 0.05 && second.byRank > 0.05), formatTiming(second));
});

/** `measureAlternately` alternates attempts at a known and an unknown address, so that a slow machine affects both equally. */
async function measureAlternately(email: string, pairs: number): Promise<readonly number[]> {
  const differencesMs: number[] = [];
  let browser = accounts.browser();
  const timeOf = async (address: string): Promise<number> => {
    const beganAtMs = performance.now();
    assert.equal(await attemptSignIn(browser, address), "SIGN_IN_FAILED");
    return performance.now() - beganAtMs;
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    // The clock advances after every nine pairs, before the attempts reach a rate limit.
    if (pair % 9 === 0) {
      accounts.pass(quarterHourMs);
      browser = accounts.browser();
    }
    const [first, second] = pair % 2 === 0 ? [email, unknownEmail] : [unknownEmail, email];
    const difference = (await timeOf(first)) - (await timeOf(second));
    differencesMs.push(pair % 2 === 0 ? difference : -difference);
  }
  return differencesMs;
}

interface TimingResult {
  readonly middleMs: number;
  readonly meanMs: number;
  /** Half width of the 95 % confidence interval of the mean. */
  readonly withinMs: number;
  /** p-value of the paired t-test. With this many samples, t is normally distributed. */
  readonly byMean: number;
  /** p-value of Wilcoxon's signed-rank test, in which a pause of the machine counts by rank and not by duration. */
  readonly byRank: number;
}

function evaluateTiming(differencesMs: readonly number[]): TimingResult {
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
    byMean: pValueOf(meanMs / errorMs),
    byRank: pValueOf((ranks - (count * (count + 1)) / 4) / rankError),
  };
}

/**
 * `pValueOf` returns the two-sided p-value of a normal value: the complementary error function by Abramowitz and
 * Stegun 7.1.26.
 */
function pValueOf(value: number): number {
  const x = Math.abs(value) / Math.SQRT2;
  const k = 1 / (1 + 0.3275911 * x);
  const series =
    ((((1.061405429 * k - 1.453152027) * k + 1.421413741) * k - 0.284496736) * k + 0.254829592) * k;
  return series * Math.exp(-x * x);
}

function formatTiming({ middleMs, meanMs, withinMs, byMean, byRank }: TimingResult): string {
  const mean = `mean ${meanMs.toFixed(3)} ± ${withinMs.toFixed(3)} ms (p = ${byMean.toFixed(3)})`;
  return `${mean}, median ${middleMs.toFixed(3)} ms (p = ${byRank.toFixed(3)})`;
}

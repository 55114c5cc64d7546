import assert from "node:assert/strict";
import { test } from "node:test";
import { registered, startTestAccounts } from "../../test/test-accounts.ts";
import type { TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const quarterMs = 15 * 60_000 + 1_000;
/** How many of each kind; for a report, ACCOUNTS_TIMING_SAMPLES=1000. */
const samples = Number(process.env["ACCOUNTS_TIMING_SAMPLES"] ?? 300);
const guess = { password: "another horse", code: "000000" };

const tryAs = async (browser: TestBrowser, email: string): Promise<unknown> =>
  (await browser.post("/accounts/sign-in/password", { ...guess, email })).json["refusal"];

test("ten thousand guesses at one account, from one address and from two hundred, are ten", async (t) => {
  for (const addresses of [1, 200]) {
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
    assert.equal(taken, 10);
  }
});

test("how long a refusal takes does not tell whether an address has an account", async (t) => {
  const { email } = await registered(accounts);
  const measure = async (perSide: number): Promise<number> => {
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    let browser = accounts.browser();
    for (let count = 0; count < perSide; count += 1) {
      // Neither limit is reached: time passes before one is.
      if (count % 9 === 0) {
        accounts.pass(quarterMs);
        browser = accounts.browser();
      }
      const sides = count % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
      for (const side of sides) {
        const beganAtMs = performance.now();
        const refusal = await tryAs(browser, side === "known" ? email : "nobody@shop.example");
        times[side].push(performance.now() - beganAtMs);
        assert.equal(refusal, "SIGN_IN_FAILED");
      }
    }
    const p = chanceOf(times.known, times.unknown);
    t.diagnostic(
      `${perSide} each: ${mean(times.known).toFixed(2)} and ${mean(times.unknown).toFixed(2)} ms, p = ${p.toFixed(3)}`,
    );
    return p;
  };
  await measure(20);
  // One measurement in twenty is off by chance alone; two in a row are not.
  assert.ok((await measure(samples)) > 0.05 || (await measure(samples)) > 0.05);
});

/** Welch's t-test: how likely a difference as large as this is by chance. With so many samples t is normal. */
function chanceOf(a: readonly number[], b: readonly number[]): number {
  const t = (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length);
  // The complementary error function, by Abramowitz and Stegun 7.1.26.
  const x = Math.abs(t) / Math.SQRT2;
  const k = 1 / (1 + 0.3275911 * x);
  const series =
    ((((1.061405429 * k - 1.453152027) * k + 1.421413741) * k - 0.284496736) * k + 0.254829592) * k;
  return series * Math.exp(-x * x);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

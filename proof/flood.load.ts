import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startFloodRunner } from "./overload/flood-runner.ts";

/** This test is short, and its limits fit a slow machine. The real measurement is `npm run evidence -- flood`. */
const seconds = 2;
const memoryMoreMbMax = 120;
const signedMax = 20 + 25 * (seconds + 1);
/**
 * Largest accepted share of rejected requests of the merchant. Load shedding may reject a few before the code is warm;
 * a starved merchant would be rejected every time.
 */
const refusedShareMax = 0.02;

const floodRunner = await startFloodRunner();
after(() => floodRunner.stop());

for (const flood of floodRunner.all) {
  test(`an unauthenticated client with ${flood.name} takes neither a merchant's capacity nor our signatures`, async (t) => {
    const { merchant, attacker, memoryMoreMb } = await floodRunner.runClosedLoop(flood, seconds);
    t.diagnostic(`${JSON.stringify(merchant)}, ${attacker.answers} answers, ${memoryMoreMb} MB more`);
    const { served, refused, unanswered } = merchant;
    assert.ok(served > 0, "The merchant was not served at all.");
    assert.ok(
      refused + unanswered <= refusedShareMax * served,
      `${refused} refused, ${unanswered} unanswered`,
    );
    assert.ok(attacker.signed <= signedMax, `${attacker.signed} signatures`);
    assert.ok(memoryMoreMb <= memoryMoreMbMax, `${memoryMoreMb} MB`);
  });
}

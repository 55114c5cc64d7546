import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startFloods } from "./floods.ts";

/** Short and tolerant of a slow machine: `npm run evidence -- flood` is the measurement. */
const seconds = 2;
const memoryMoreMbMax = 120;
const signedMax = 20 + 25 * (seconds + 1);
/**
 * Load shedding may refuse a few callers before the code is warm; a merchant under starvation is refused
 * every time.
 */
const refusedShareMax = 0.02;

const floods = await startFloods();
after(() => floods.stop());

for (const flood of floods.all) {
  test(`a stranger with ${flood.name} takes neither a merchant's places nor our signatures`, async (t) => {
    const { merchant, stranger, memoryMoreMb } = await floods.asFastAsAnswered(flood, seconds);
    t.diagnostic(`${JSON.stringify(merchant)}, ${stranger.answers} answers, ${memoryMoreMb} MB more`);
    const { served, refused, unanswered } = merchant;
    assert.ok(served > 0, "The merchant was not served at all.");
    assert.ok(
      refused + unanswered <= refusedShareMax * served,
      `${refused} refused, ${unanswered} unanswered`,
    );
    assert.ok(stranger.signed <= signedMax, `${stranger.signed} signatures`);
    assert.ok(memoryMoreMb <= memoryMoreMbMax, `${memoryMoreMb} MB`);
  });
}

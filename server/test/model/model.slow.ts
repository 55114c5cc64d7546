import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { runModel } from "./run-model.ts";
import { startWorld } from "./world.ts";

/**
 * Random sequences of what merchants and buyers do, with a wallet that fails them, against a model of what a
 * merchant may expect (model/merchant-model.ts). TOLLGATE_MODEL_RUNS says how many; a failure prints a seed, a path
 * and a replay path, which TOLLGATE_MODEL_SEED, TOLLGATE_MODEL_PATH and TOLLGATE_MODEL_REPLAY take.
 */
const {
  TOLLGATE_MODEL_RUNS: runs = "24",
  TOLLGATE_MODEL_SEED: seed = String(randomInt(2 ** 31)),
  TOLLGATE_MODEL_PATH: path,
  TOLLGATE_MODEL_REPLAY: replayPath,
} = process.env;
/** Side by side, since each waits more than it works. */
const lanes = path === undefined ? 8 : 1;
/** The moment when the gateway hears of what the buyer did is in no seed, so a replay is tried more than once. */
const repeats = path === undefined ? 1 : 20;
const commandsMax = 120;

const world = await startWorld(lanes);
const tally = { commands: 0, kinds: new Map<string, number>(), requests: 0, runs: 0, unexplained: 0 };

test(`a merchant is answered as the model says, in ${runs} runs from seed ${seed}`, async (t) => {
  const startedAtMs = performance.now();
  const each = Math.ceil(Number(runs) / lanes);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        runModel(
          world,
          lane,
          { runs: each, commandsMax, seed: Number(seed) + lane, path, replayPath },
          tally,
        ),
      ),
    );
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  const perSecond = Math.round(tally.commands / seconds);
  t.diagnostic(`${tally.runs} runs, ${tally.commands} commands in ${seconds.toFixed(1)} s: ${perSecond}/s`);
  const kinds = [...tally.kinds].sort(([, one], [, other]) => other - one);
  t.diagnostic(kinds.map(([kind, count]) => `${count} × ${kind}`).join(", "));
  for (const [answer, count] of world.answers) t.diagnostic(`${count} × ${answer}`);
});

test("nothing is left unknown without a reason", (t) => {
  t.diagnostic(`${tally.unexplained} answers of "unknown" that no fault explains`);
  assert.ok(tally.unexplained <= tally.commands / 100);
});

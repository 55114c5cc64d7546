import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { runModel } from "./model/run-model.ts";
import { startWorld } from "./model/world.ts";

/**
 * Random sequences of what merchants and buyers do, with a wallet that fails them, against a model of what a
 * merchant may expect (model/merchant-model.ts). TOLLGATE_MODEL_RUNS says how many; a failure prints a seed, a path
 * and a replay path, which TOLLGATE_MODEL_SEED, TOLLGATE_MODEL_PATH and TOLLGATE_MODEL_REPLAY take.
 */
const {
  TOLLGATE_MODEL_RUNS: runs = "40",
  TOLLGATE_MODEL_SEED: seed = String(randomInt(2 ** 31)),
  TOLLGATE_MODEL_PATH: path,
  TOLLGATE_MODEL_REPLAY: replayPath,
} = process.env;
/** Side by side, since each waits more than it works. A replay is one. */
const lanes = path === undefined ? 8 : 1;
const commandsMax = 80;

const world = await startWorld(lanes);
const tally = { commands: 0, runs: 0, unexplained: 0 };

test(`a merchant is answered as the model says, in ${runs} runs from seed ${seed}`, async (t) => {
  const startedAtMs = performance.now();
  const each = Math.ceil(Number(runs) / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) =>
      runModel(world, lane, { runs: each, commandsMax, seed: Number(seed) + lane, path, replayPath }, tally),
    ),
  );
  const seconds = (performance.now() - startedAtMs) / 1000;
  const perSecond = Math.round(tally.commands / seconds);
  t.diagnostic(`${tally.runs} runs, ${tally.commands} commands in ${seconds.toFixed(1)} s: ${perSecond}/s`);
  for (const [answer, count] of world.answers) t.diagnostic(`${count} × ${answer}`);
});

test("nothing is left unknown without a reason", (t) => {
  t.diagnostic(`${tally.unexplained} answers of "unknown" that no fault explains`);
  assert.ok(tally.unexplained <= tally.commands / 100);
});

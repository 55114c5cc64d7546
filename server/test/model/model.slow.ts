import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { runModel } from "./run-model.ts";
import { startRealSystem } from "./real-system.ts";

/**
 * Random sequences of merchants' and buyers' actions, with provider faults, compared with a model of the expected
 * behaviour (model/merchant-model.ts). TOLLGATE_MODEL_RUNS is the number of runs. A failure prints a seed, a path and a
 * replay path for TOLLGATE_MODEL_SEED, TOLLGATE_MODEL_PATH and TOLLGATE_MODEL_REPLAY.
 */
const {
  TOLLGATE_MODEL_RUNS: runs = "24",
  TOLLGATE_MODEL_SEED: seed = String(randomInt(2 ** 31)),
  TOLLGATE_MODEL_PATH: path,
  TOLLGATE_MODEL_REPLAY: replayPath,
} = process.env;
/** Number of concurrent runs. Each run waits more than it uses the CPU. */
const queues = path === undefined ? 8 : 1;
/** A seed does not fix when the gateway learns of the buyer's action, so a replay runs more than once. */
const repeats = path === undefined ? 1 : 20;
const commandsMax = 120;

const system = await startRealSystem(queues);
const tally = { commands: 0, kinds: new Map<string, number>(), requests: 0, runs: 0, unexplained: 0 };

test(`responses to merchants agree with the model, in ${runs} runs from seed ${seed}`, async (t) => {
  const startedAtMs = performance.now();
  const each = Math.ceil(Number(runs) / queues);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    await Promise.all(
      Array.from({ length: queues }, (_, queue) =>
        runModel(
          system,
          queue,
          { runs: each, commandsMax, seed: Number(seed) + queue, path, replayPath },
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
  for (const [answer, count] of system.answers) t.diagnostic(`${count} × ${answer}`);
});

test("no outcome is unknown without a reason", (t) => {
  t.diagnostic(`${tally.unexplained} answers of "unknown" that no fault explains`);
  assert.ok(tally.unexplained <= tally.commands / 100);
});

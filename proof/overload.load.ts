import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startOverloadRunner } from "./overload/overload-runner.ts";

/**
 * This test is short, and its limits fit a slow machine that also runs the load generator. The real measurement is `npm
 * run evidence -- overload`.
 */
const seconds = 5;
const keptMin = 0.6;
const goodP99MsMax = 2_000;
const refusedP99MsMax = 500;

const overloadRunner = await startOverloadRunner(false);
after(() => overloadRunner.stop());

test("at five times its capacity a process rejects a part of the requests, and every request gets a response", async (t) => {
  const round = await overloadRunner.run(false, seconds);
  t.diagnostic(JSON.stringify(round));
  assert.ok(round.refused > 0, "No request was rejected, so this was no overload.");
  assert.equal(round.lost, 0);
  assert.ok(round.kept >= keptMin, `Goodput is ${round.kept} of capacity.`);
  assert.ok(round.goodP99Ms <= goodP99MsMax, `Answers took ${round.goodP99Ms} ms.`);
  assert.ok(round.refusedP99Ms <= refusedP99MsMax, `Refusals took ${round.refusedP99Ms} ms.`);
  assert.ok(round.recoverySeconds <= 10, "The throughput has not recovered.");
});

import { writeSync } from "node:fs";
import { moveMerchant } from "../../src/commands/move-merchant.ts";

/** A mover that stands still when it is about to do this step, says so, and waits to be killed. */
const [clientId = "", sourceUrl = "", targetUrl = "", doomed = ""] = process.argv.slice(2);
const moved = await moveMerchant({
  clientId,
  sourceUrl,
  targetUrl,
  wants: "move",
  onStep: (step) => {
    if (step !== doomed) return;
    writeSync(1, "doomed\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
process.stdout.write(`${JSON.stringify(moved)}\n`);

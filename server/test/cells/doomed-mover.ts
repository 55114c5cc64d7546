import { writeSync } from "node:fs";
import { moveBucket } from "../../src/commands/move-bucket.ts";
import { moveMerchant } from "../../src/commands/move-merchant.ts";

/** A mover that stands still when it is about to do this step, says so, and waits to be killed. */
const [what = "", subject = "", sourceUrl = "", targetUrl = "", doomed = ""] = process.argv.slice(2);
const onStep = (step: string): void => {
  if (step.split(" ")[0] !== doomed) return;
  writeSync(1, "doomed\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const done =
  what === "bucket"
    ? await moveBucket(
        { url: sourceUrl, environment: "sandbox" },
        { bucket: Number(subject), to: "b", targetUrl, onStep, onMoved: () => Promise.resolve() },
      )
    : await moveMerchant({
        clientId: subject,
        sourceUrl,
        targetUrl,
        wants: what === "undo" ? "undo" : "move",
        onStep,
      });
process.stdout.write(`${JSON.stringify(done)}\n`);

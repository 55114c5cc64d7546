import { writeSync } from "node:fs";
import { moveBucket } from "../../src/moves/move-bucket.workflow.ts";
import { moveMerchant } from "../../src/moves/move-merchant.workflow.ts";

/** A mover that stops before the given step, reports it, and waits to be killed. */
const [action = "", subject = "", sourceUrl = "", targetUrl = "", stepToDieAt = ""] = process.argv.slice(2);
const onStep = (step: string): void => {
  if (step.split(" ")[0] !== stepToDieAt) return;
  writeSync(1, "victim\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
const done =
  action === "bucket"
    ? await moveBucket(
        { url: sourceUrl, environment: "sandbox" },
        { bucket: Number(subject), to: "b", targetUrl, onStep, onMoved: () => Promise.resolve() },
      )
    : await moveMerchant({
        clientId: subject,
        sourceUrl,
        targetUrl,
        goal: action === "undo" ? "undo" : "move",
        onStep,
      });
process.stdout.write(`${JSON.stringify(done)}\n`);

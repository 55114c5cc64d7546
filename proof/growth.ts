import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runProof, type Shown } from "./run-proof.ts";

const program = fileURLToPath(new URL("../benchmarks/growth.ts", import.meta.url));

await runProof({
  name: "growth",
  claim:
    "A payment costs the same however many there were before it. One gateway is filled with copies of whole payments (payments, events, ledger, notifications, " +
    "attempts, request log, search) and another stays nearly empty; both take the same payments in turns, on PostgreSQL's default settings (128 MB of shared buffers), " +
    "and the medians of five rounds are compared. `--tries` is the largest size; smaller ones come before it. Dropped afterwards.",
  triesDefault: 5_000_000,
  async run({ tries, say }) {
    const measuring = spawn(process.execPath, [program, "--payments", String(tries)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    process.once("exit", () => void measuring.kill("SIGTERM"));
    const exited = once(measuring, "exit");
    createInterface(measuring.stderr).on("line", say);
    let last = "";
    for await (const line of createInterface(measuring.stdout)) last = line;
    const [status] = await exited;
    if (status !== 0) throw new Error("benchmarks/growth.ts has failed.");
    return JSON.parse(last) as Shown;
  },
});

import { setTimeout as waitMs } from "node:timers/promises";
import { database } from "../installation.ts";
import { newPart, type Part } from "../part.ts";
import { askRefund, makePayment, mistrustTheWallet, runScenario, untilFinal } from "../scenario.ts";
import type { Trial } from "../trial.ts";

/** For so long the wallet does not know of the refund. The quiet time is longer, and a lease longer still. */
const lagMs = 10_000;
const quietSeconds = 12;
const takenWithinMs = 40_000;
const settlesWithinMs = 2_000;

/**
 * A worker asks after a refund, hears that there is none, and is stopped before it has written that down. Others
 * take over. When it goes on, what it has heard is old, and must not count.
 */
await runScenario({
  name: "taken-over",
  async run(trial) {
    const { merchants, works, control } = trial.installation;
    await mistrustTheWallet(trial, { quietSeconds });
    const paid = await makePayment(trial, trial.random.pick(merchants), "taken-over");
    await untilFinal(trial);

    for (const work of works) work.freeze();
    const stopping = await startStopping(trial);
    const match = { paymentId: paid.paymentId, verb: "refund" };
    await control("POST", "/control/faults", { kind: "answer-lost", match });
    await control("POST", "/control/faults", { kind: "inquiry-lag", match, delayMs: lagMs });
    // Changes nothing, and leaves a line that tells when it was asked.
    const asked = { kind: "late-answer", match: { verb: "inquire-refund" }, delayMs: 1 };
    await control("POST", "/control/faults", asked);
    await askRefund(trial, paid);
    await until(trial, async () => trial.installation.effects().some(isInquiry));
    await waitMs(settlesWithinMs);

    // Whoever takes over learns nothing, until the first has gone on.
    const silence = { kind: "error-500", match: { verb: "inquire-refund" }, count: 10_000 };
    await control("POST", "/control/faults", silence);
    const before = await epochOf(trial);
    for (const work of works) work.thaw();
    await until(trial, async () => (await epochOf(trial)) > before);
    stopping.thaw();
    await waitMs(settlesWithinMs);
    await stopping.kill();
    await control("DELETE", "/control/faults");
  },
});

/** A worker that stops by itself when it has heard from a wallet and has not written it down. */
async function startStopping({ installation: { variables } }: Trial): Promise<Part> {
  const part = newPart({
    name: "work 3",
    words: ["server/src/testing/crashing-main.ts", "work"],
    variables: {
      ...variables,
      TOLLGATE_DATABASE_URL: variables["WORK_DATABASE_URL"] ?? "",
      STOP_AT: "after-wallet-call",
    },
    ready: /^Tollgate works/,
  });
  process.once("exit", () => part.killNow());
  await part.start();
  return part;
}

function isInquiry({ kind, verb }: Readonly<Record<string, unknown>>): boolean {
  return kind === "fault" && verb === "inquire-refund";
}

async function epochOf({ installation: { cluster } }: Trial): Promise<number> {
  const [row] = await cluster.execute<{ epoch: number }>(
    database,
    "select epoch from jobs where job = 'send-refund'",
  );
  if (!row) throw new Error("The refund has ended before its time: the trap was not set.");
  return row.epoch;
}

async function until(trial: Trial, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = trial.nowMs() + takenWithinMs;
  while (!(await isSo())) {
    if (trial.nowMs() > giveUpAtMs) throw new Error("It does not come to it: the trap was not set.");
    await waitMs(100);
  }
}

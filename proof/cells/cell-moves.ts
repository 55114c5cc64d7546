import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Cell } from "./cell.ts";
import type { CellFleet, FleetMerchant } from "./cell-fleet.ts";
import { minimalEnvironment } from "../installation/managed-process.ts";

/** A merchant's move, as its operator saw it. */
export interface MerchantMove {
  readonly merchant: FleetMerchant;
  readonly from: string;
  readonly to: string;
  readonly epoch: number;
  readonly rows: number;
  /**
   * Milliseconds from closing the fence in the old home until the new home serves; undefined if the run that closed the
   * fence was killed.
   */
  readonly pauseMs: number | undefined;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** The steps at which the mover was killed, in order. */
  readonly killedAt: readonly string[];
}

/** The steps of the mover, as it logs them when it begins one. */
export const moverSteps = ["prepare", "copy", "fence", "finish", "leave", "settle", "publish"] as const;

const root = fileURLToPath(new URL("../../", import.meta.url));
const runsMax = 30;

/** Moves a merchant with the operator's command, which is killed at the start of each of these steps, and run again. */
export async function moveWithKills(
  fleet: CellFleet,
  merchant: FleetMerchant,
  to: Cell,
  kills: readonly string[],
): Promise<MerchantMove> {
  const beganAtMs = fleet.nowMs();
  const killedAt: string[] = [];
  const remainingKills = [...kills];
  for (let runs = 0; runs < runsMax; runs += 1) {
    const run = await runMover(fleet.cell(merchant.cell), to, merchant, remainingKills[0]);
    if (run.killedAt !== undefined) {
      killedAt.push(run.killedAt);
      remainingKills.shift();
      continue;
    }
    const output = run.output as Pick<MerchantMove, "from" | "to" | "epoch" | "rows" | "pauseMs">;
    // A kill at a step that the next run did not repeat came after the end of the step.
    return { ...output, merchant, beganAtMs, endedAtMs: fleet.nowMs(), killedAt };
  }
  throw new Error(`${merchant.clientId} is not moved after ${runsMax} runs of the mover.`);
}

interface MoverRun {
  readonly killedAt?: string;
  readonly output?: unknown;
}

async function runMover(from: Cell, to: Cell, merchant: FleetMerchant, killStep?: string): Promise<MoverRun> {
  const args = ["merchant", "move", merchant.clientId, "--to", to.name, "--reason", "a proof", "--json"];
  const mover = spawn(process.execPath, ["server/src/main.ts", ...args], {
    cwd: root,
    env: {
      ...minimalEnvironment,
      TOLLGATE_ENVIRONMENT: "sandbox",
      TOLLGATE_OWNER_DATABASE_URL: from.ownerUrl,
      [`TOLLGATE_CELL_${to.name.toUpperCase()}_OWNER_DATABASE_URL`]: to.ownerUrl,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, steps] = ["", ""];
  let killedAt: string | undefined;
  mover.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  mover.stderr.setEncoding("utf8").on("data", (text: string) => {
    steps += text;
    if (
      killStep === undefined ||
      killedAt !== undefined ||
      !steps.split("\n").some((step) => step.split(" ")[0] === killStep)
    )
      return;
    killedAt = killStep;
    mover.kill("SIGKILL");
  });
  const [status] = (await once(mover, "close")) as [number | null];
  // With exit status 0 the mover was faster than the kill signal, and has moved the merchant.
  if (status === 0) return { output: JSON.parse(output.trim().split("\n").at(-1) ?? "") };
  if (killedAt !== undefined) return { killedAt };
  throw new Error(`The mover of ${merchant.clientId} ended with ${status}:\n${steps}`);
}

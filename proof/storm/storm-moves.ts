import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import type { Installation, Merchant } from "../installation/installation.ts";
import { minimalEnvironment } from "../installation/managed-process.ts";
import { databaseOfCell, type CellName } from "../installation/second-cell.ts";

/** Moves of merchants between the two cells of a storm, during load and faults. */
export interface StormMoves {
  /** After the faults: moves every merchant back to the first cell, so that the judges find all rows there. */
  finish(): Promise<MoveCounts>;
}

export interface MoveCounts {
  /** Completed moves, in both directions. */
  readonly moved: number;
  /** Runs of `merchant move` that were killed with SIGKILL, or failed because of a fault. */
  readonly interrupted: number;
}

export const noMoves: MoveCounts = { moved: 0, interrupted: 0 };

interface Options {
  readonly installation: Installation;
  readonly random: Random;
  /** Duration of the faults in seconds. */
  readonly seconds: number;
  readonly logProgress: (line: string) => void;
}

/** The first two merchants are paid out, and the last one has a low balance. The two between them move. */
const movedMerchants = [2, 3] as const;
const movesMax = 60;
const gapMsMin = 4_000;
/**
 * Moves end with the faults, but a short storm has moves for a minute. Each move compares all rows of the merchant, so
 * moves until the last payment would cost more than the payments.
 */
const movingMsMin = 60_000;
const killedShare = 0.4;
const killWithinMs = 2_500;
/** Without faults a move must succeed within this number of runs. */
const calmRunsMax = 20;
/** A run that hangs, for example at a frozen primary, is killed after this time. */
const runMsMax = 30_000;
const root = fileURLToPath(new URL("../../", import.meta.url));

interface Mover {
  readonly merchant: Merchant;
  currentCell: CellName;
}

export function startMoves({ installation, random, seconds, logProgress }: Options): StormMoves {
  const movers = movedMerchants.flatMap((nth): Mover[] => {
    const merchant = installation.merchants[nth];
    return merchant ? [{ merchant, currentCell: "a" }] : [];
  });
  const counts = { ...noMoves };
  const state = { isActive: true };
  const moverDraws = random.fork("movers");

  /** Moves a merchant to the other cell. The next run continues one that was killed or failed. */
  const move = async (mover: Mover, killAfterMs: number): Promise<void> => {
    const to = mover.currentCell === "a" ? "b" : "a";
    for (let [runs, calmRuns] = [0, 0]; ; runs += 1) {
      const { isMoved, output } = await runMover(installation, mover, to, runs === 0 ? killAfterMs : 0);
      if (isMoved) break;
      counts.interrupted += 1;
      if (!state.isActive) calmRuns += 1;
      if (calmRuns > calmRunsMax)
        throw new Error(`${mover.merchant.clientId} can not be moved to ${to}: ${output.slice(-2_000)}`);
    }
    mover.currentCell = to;
    counts.moved += 1;
  };

  const moving = (async () => {
    const gapMs = Math.max(gapMsMin, (seconds * 1_000) / movesMax);
    const endsAtMs = performance.now() + Math.max(movingMsMin, seconds * 1_000);
    while (state.isActive && performance.now() < endsAtMs) {
      await waitMs(gapMs);
      const killAfterMs = moverDraws.chance(killedShare) ? moverDraws.between(300, killWithinMs) : 0;
      if (state.isActive) await move(moverDraws.pick(movers), killAfterMs);
    }
  })();
  moving.catch(() => undefined);
  return {
    async finish() {
      state.isActive = false;
      await moving;
      for (const mover of movers) if (mover.currentCell === "b") await move(mover, 0);
      logProgress(`${counts.moved} moves between cells, ${counts.interrupted} runs of the mover interrupted`);
      return counts;
    },
  };
}

interface MoverRun {
  readonly isMoved: boolean;
  /** Its output on both streams. */
  readonly output: string;
}

/** Runs `merchant move` like the operator, against the current primary. */
async function runMover(
  { cluster, isLive }: Installation,
  { merchant, currentCell }: Mover,
  to: CellName,
  killAfterMs: number,
): Promise<MoverRun> {
  const args = ["merchant", "move", merchant.clientId, "--to", to, "--reason", "a storm", "--json"];
  const mover = spawn(process.execPath, ["server/src/main.ts", ...args], {
    cwd: root,
    env: {
      ...minimalEnvironment,
      TOLLGATE_ENVIRONMENT: isLive ? "live" : "sandbox",
      TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(databaseOfCell[currentCell]),
      [`TOLLGATE_CELL_${to.toUpperCase()}_OWNER_DATABASE_URL`]: cluster.primaryUrl(databaseOfCell[to]),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: killAfterMs || runMsMax,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [mover.stdout, mover.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [status] = (await once(mover, "close")) as [number | null];
  return { isMoved: status === 0, output };
}

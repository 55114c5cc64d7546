import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../start/test-database.ts";

const victim = fileURLToPath(new URL("crash-victim-mover.ts", import.meta.url));

/** The mover's order: to move a merchant or a bucket, or to undo the move of a merchant. */
export interface MoveOrder {
  readonly action: "move" | "undo" | "bucket";
  /** The subject of the move: a client id or a bucket. */
  readonly subject: string;
  readonly from: TestDatabase;
  readonly to: TestDatabase;
}

/**
 * Runs a mover that is killed before a given step, and returns undefined. Returns the mover's result if it did not
 * reach the step.
 */
export async function runKilledMover<Done extends object>(
  { action, subject, from, to }: MoveOrder,
  step: string,
): Promise<Done | undefined> {
  const mover = spawn(process.execPath, [victim, action, subject, from.ownerUrl, to.ownerUrl, step], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  mover.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output === "victim\n") mover.kill("SIGKILL");
  });
  await once(mover, "close");
  return output === "victim\n" ? undefined : (JSON.parse(output) as Done);
}

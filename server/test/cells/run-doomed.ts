import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../start/test-database.ts";

const doomed = fileURLToPath(new URL("doomed-mover.ts", import.meta.url));

/** What the mover is told: to move a merchant or a bucket, or to undo the move of a merchant. */
export interface Order {
  readonly what: "move" | "undo" | "bucket";
  /** The client id, or the bucket. */
  readonly subject: string;
  readonly from: TestDatabase;
  readonly to: TestDatabase;
}

/** Runs a mover that is killed when it is about to do a step: undefined then. What it has done, if it never came so far. */
export async function runDoomed<Done extends object>(
  { what, subject, from, to }: Order,
  step: string,
): Promise<Done | undefined> {
  const mover = spawn(process.execPath, [doomed, what, subject, from.ownerUrl, to.ownerUrl, step], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  mover.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said === "doomed\n") mover.kill("SIGKILL");
  });
  await once(mover, "close");
  return said === "doomed\n" ? undefined : (JSON.parse(said) as Done);
}

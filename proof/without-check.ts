import { fileURLToPath } from "node:url";
import { copyTree } from "./copied-tree.ts";
import { runProgram } from "./run-layer.ts";

/** Removes the check that a commit reached the standby, and the handler of PostgreSQL's warning. */
const patch = fileURLToPath(new URL("planted/05-standby-warning-swallowed.patch", import.meta.url));
const words = ["proof/commit-hole.ts", "--tries", "20", "only"];
const budgetSeconds = 600;

/**
 * Negative control, because a proof has to be able to fail: counts the wrong results of a gateway that trusts
 * PostgreSQL.
 */
export async function countWithoutCheck(say: (line: string) => void): Promise<number> {
  const tree = copyTree(patch);
  const { lines } = await runProgram(tree, words, budgetSeconds);
  tree.remove();
  const said = lines.join("\n");
  const counted = /false_success=(\d+)/.exec(said)?.[1];
  if (counted === undefined) throw new Error(`The copy did not come to its end: ${said.slice(-2_000)}`);
  say(`with the check taken out of a copy, ${counted} things are told wrongly`);
  return Number(counted);
}

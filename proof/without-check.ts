import { fileURLToPath } from "node:url";
import { copyTree } from "./copied-tree.ts";
import { runProgram } from "./run-layer.ts";

const words = ["proof/commit-hole.ts", "--tries", "20", "only"];
const budgetSeconds = 600;

/**
 * Negative control, because a proof has to be able to fail: counts the wrong results of a gateway that trusts
 * PostgreSQL. The patch removes the check that a commit reached the standby, and the handler of PostgreSQL's warning.
 */
export function countWithoutCheck(say: (line: string) => void): Promise<number> {
  return countWith("05-standby-warning-swallowed", "with the check taken out of a copy", say);
}

/** The same for a gateway whose confirmation does not compare the server with the one that was read from. */
export function countWithoutBinding(say: (line: string) => void): Promise<number> {
  return countWith("67-confirmed-by-another-server", "with confirmations by any server in a copy", say);
}

async function countWith(patch: string, how: string, say: (line: string) => void): Promise<number> {
  const tree = copyTree(fileURLToPath(new URL(`planted/${patch}.patch`, import.meta.url)));
  const { lines } = await runProgram(tree, words, budgetSeconds);
  tree.remove();
  const said = lines.join("\n");
  const counted = /false_success=(\d+)/.exec(said)?.[1];
  if (counted === undefined) throw new Error(`The copy did not come to its end: ${said.slice(-2_000)}`);
  say(`${how}, ${counted} answers are wrong`);
  return Number(counted);
}

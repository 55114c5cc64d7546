import { fileURLToPath } from "node:url";
import { copyTree } from "../seeded-bugs/copied-tree.ts";
import { runProgram } from "../seeded-bugs/run-layer.ts";

const wordsOf = (tries: number): readonly string[] => [
  "proof/commit-hole.ts",
  "--tries",
  String(tries),
  "only",
];
const budgetSeconds = 600;

/**
 * Negative control, because a proof must be able to fail: it counts the wrong results of a gateway that trusts
 * PostgreSQL. The patch removes the check that a commit reached the standby, and the handler of PostgreSQL's warning.
 */
export function countWithoutCheck(say: (line: string) => void): Promise<number> {
  return countWith("05-standby-warning-swallowed", "with the check removed from a copy", 20, say);
}

/**
 * Negative control with a gateway whose confirmation does not compare the server with the one that was read from. Two
 * rounds: with a disconnected standby, and with a frozen one.
 */
export function countWithoutBinding(say: (line: string) => void): Promise<number> {
  return countWith("67-confirmed-by-another-server", "with confirmations by any server in a copy", 40, say);
}

async function countWith(
  patch: string,
  how: string,
  tries: number,
  say: (line: string) => void,
): Promise<number> {
  const tree = copyTree(fileURLToPath(new URL(`../seeded-bugs/patches/${patch}.patch`, import.meta.url)));
  const { lines } = await runProgram(tree, wordsOf(tries), budgetSeconds);
  tree.remove();
  const said = lines.join("\n");
  const counted = /false_success=(\d+)/.exec(said)?.[1];
  if (counted === undefined) throw new Error(`The copy did not finish: ${said.slice(-2_000)}`);
  const frozen = [...said.matchAll(/inquiries frozen for \d+ ms/g)].join(", ");
  say(`${how} (${frozen}), ${counted} answers are wrong`);
  return Number(counted);
}

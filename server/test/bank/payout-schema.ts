import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const python = process.env["PYTHON"] ?? "python3";
const program = fileURLToPath(new URL("validate-payout-files.py", import.meta.url));
const isInstalled = spawnSync(python, ["-c", "import lxml, sepaxml"]).status === 0;

/** Reason to `skip`: the payout file validator is missing. Never in CI, where a missing validator fails the test. */
export const validatorMissing =
  !isInstalled && process.env["CI"] === undefined
    ? "the schemas of pain.001 are missing: pip install sepaxml==2.7.0 lxml, and set PYTHON to its Python"
    : false;

/** Validates payout files (pain.001) in one process. Returns the first violation of each file, null for a valid one. */
export function violationsOf(files: readonly string[]): readonly (string | null)[] {
  const { stdout, stderr, status, error } = spawnSync(python, [program], {
    input: JSON.stringify(files),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error || status !== 0) throw new Error(`The validator failed: ${stderr}`, { cause: error });
  return JSON.parse(stdout) as readonly (string | null)[];
}

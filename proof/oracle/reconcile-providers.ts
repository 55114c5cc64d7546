import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReconciliationBreak } from "./database-state.ts";
import type { Installation } from "../installation/installation.ts";

/** The daily reconciliation of an operator: imports the providers' files and compares. Returns the breaks. */
export async function reconcileProviders({
  providers,
  operate,
}: Installation): Promise<readonly ReconciliationBreak[]> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-settlement-"));
  try {
    for (const { connector, settlement } of providers) {
      const file = join(folder, `${connector}.csv`);
      writeFileSync(file, await settlement());
      await operate("settlement", "import", "--connector", connector, "--file", file);
    }
    // `--until` is in the future. The storm has ended, so reconciliation can compare the newest records, too.
    const waitUntil = `${new Date(Date.now() + 60_000).toISOString().slice(0, 19)}+00:00`;
    const output = await operate("reconcile", "--json", "--until", waitUntil).catch(outputOfFailedCommand);
    return (JSON.parse(output) as { readonly breaks: readonly ReconciliationBreak[] }).breaks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `reconcile` exits with 1 if there are breaks, and prints them nevertheless. */
export function outputOfFailedCommand(error: unknown): string {
  const { stdout } = error as { readonly stdout?: string };
  if (!stdout) throw error;
  return stdout;
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BreakRow } from "./evidence.ts";
import type { Installation } from "./installation.ts";

/**
 * Reconciliation, as an operator does it every day: imports the wallets' files and compares. Gives the
 * breaks.
 */
export async function matchBooks({ wallets, operate }: Installation): Promise<readonly BreakRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-settlement-"));
  try {
    for (const { connector, settlement } of wallets) {
      const file = join(folder, `${connector}.csv`);
      writeFileSync(file, await settlement());
      await operate("settlement", "import", "--connector", connector, "--file", file);
    }
    // The storm is over, so no record is too young to be compared.
    const until = `${new Date(Date.now() + 60_000).toISOString().slice(0, 19)}+00:00`;
    const said = await operate("match", "--json", "--until", until).catch(saidAllTheSame);
    return (JSON.parse(said) as { readonly breaks: readonly BreakRow[] }).breaks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `match` exits with 1 when there are breaks, and prints them all the same. */
export function saidAllTheSame(error: unknown): string {
  const { stdout } = error as { readonly stdout?: string };
  if (!stdout) throw error;
  return stdout;
}

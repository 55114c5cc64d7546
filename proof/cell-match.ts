import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CellFleet } from "./cell-fleet.ts";
import type { BreakRow } from "./evidence.ts";
import { tollgate, type Variables } from "./installation.ts";
import { saidAllTheSame } from "./match-books.ts";

/** What the operator of a fleet sees at the end of a day, with one command each. */
export interface FleetBooks {
  /** Breaks of all cells against the wallet's one file, in words. */
  readonly breaks: readonly string[];
  readonly rows: readonly FleetBreak[];
  /** Movements that agree, of all cells. */
  readonly matched: number;
  /** The table of `cells status`. */
  readonly status: string;
}

export interface FleetBreak {
  readonly cell: string;
  readonly kind: string;
  /** A payment or a refund. */
  readonly subject: string;
  readonly reference: string;
  readonly paymentId: string | undefined;
  /** What the wallet's file says of it. */
  readonly walletMinor: string;
}

/** Settings for a command with --all-cells. */
export function fleetVariables({ cells, directory }: CellFleet): Variables {
  return {
    TOLLGATE_ENVIRONMENT: "sandbox",
    TOLLGATE_DIRECTORY_FILE: directory.file,
    TOLLGATE_DIRECTORY_KEY_FILE: directory.publicKeyFile,
    ...Object.fromEntries(
      cells.map(({ name, ownerUrl }) => [`TOLLGATE_CELL_${name.toUpperCase()}_OWNER_DATABASE_URL`, ownerUrl]),
    ),
  };
}

export async function matchFleet(fleet: CellFleet): Promise<FleetBooks> {
  const variables = fleetVariables(fleet);
  const { connector } = fleet.wallet;
  const file = join(fleet.folder, "fleet-wallet.csv");
  writeFileSync(file, await fleet.wallet.settlement());
  await tollgate(variables, "settlement", "import", "--connector", connector, "--file", file, "--all-cells");
  // All has ended, so no record is too young to be compared.
  const until = `${new Date(Date.now() + 60_000).toISOString().slice(0, 19)}+00:00`;
  const said = await tollgate(variables, "match", "--all-cells", "--json", "--until", until).catch(
    saidAllTheSame,
  );
  const { cells } = JSON.parse(said) as { readonly cells: Readonly<Record<string, Matched>> };
  const rows = Object.entries(cells).flatMap(([cell, { breaks }]) =>
    breaks.map((each) => breakIn(cell, each)),
  );
  return {
    breaks: rows.map(
      ({ cell, kind, reference, paymentId }) => `${cell}: ${kind} ${reference} ${paymentId ?? ""}`,
    ),
    rows,
    matched: Object.values(cells)
      .flatMap(({ totals }) => totals)
      .reduce((sum, { matchedCount }) => sum + matchedCount, 0),
    status: await tollgate(variables, "cells", "status").catch(saidAllTheSame),
  };
}

interface Matched {
  readonly breaks: readonly MatchedBreak[];
  readonly totals: readonly { readonly matchedCount: number }[];
}

interface MatchedBreak extends BreakRow {
  readonly subject: string;
  readonly sums: { readonly wallet?: { readonly minor: string | number } };
}

function breakIn(cell: string, { kind, subject, reference, paymentId, sums }: MatchedBreak): FleetBreak {
  return { cell, kind, subject, reference, paymentId, walletMinor: String(sums.wallet?.minor ?? "") };
}

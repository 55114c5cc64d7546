import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CellFleet } from "./cell-fleet.ts";
import type { ReconciliationBreak } from "../oracle/database-state.ts";
import { runTollgate, type Variables } from "../installation/installation.ts";
import { outputOfFailedCommand } from "../oracle/reconcile-providers.ts";

/** The operator's view of a fleet at the end of a day, from one command each. */
export interface FleetReconciliation {
  /** Breaks of all cells against the provider's one file, as texts. */
  readonly breaks: readonly string[];
  readonly rows: readonly FleetBreak[];
  /** Number of movements of all cells that agree with the provider's file. */
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
  /** The amount of the break in the provider's file, in minor units. */
  readonly providerMinor: string;
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

export async function reconcileFleet(fleet: CellFleet): Promise<FleetReconciliation> {
  const variables = fleetVariables(fleet);
  const { connector } = fleet.provider;
  const file = join(fleet.folder, "fleet-provider.csv");
  writeFileSync(file, await fleet.provider.settlement());
  await runTollgate(
    variables,
    "settlement",
    "import",
    "--connector",
    connector,
    "--file",
    file,
    "--all-cells",
  );
  // `--until` is in the future. All records are final, so reconciliation can compare the newest ones, too.
  const untilTime = `${new Date(Date.now() + 60_000).toISOString().slice(0, 19)}+00:00`;
  const output = await runTollgate(
    variables,
    "reconcile",
    "--all-cells",
    "--json",
    "--until",
    untilTime,
  ).catch(outputOfFailedCommand);
  const { cells } = JSON.parse(output) as { readonly cells: Readonly<Record<string, ReconciledCell>> };
  const rows = Object.entries(cells).flatMap(([cell, { breaks }]) =>
    breaks.map((each) => toFleetBreak(cell, each)),
  );
  return {
    breaks: rows.map(
      ({ cell, kind, reference, paymentId }) => `${cell}: ${kind} ${reference} ${paymentId ?? ""}`,
    ),
    rows,
    matched: Object.values(cells)
      .flatMap(({ totals }) => totals)
      .reduce((sum, { matchedCount }) => sum + matchedCount, 0),
    status: await runTollgate(variables, "cells", "status").catch(outputOfFailedCommand),
  };
}

interface ReconciledCell {
  readonly breaks: readonly ReconciledBreak[];
  readonly totals: readonly { readonly matchedCount: number }[];
}

interface ReconciledBreak extends ReconciliationBreak {
  readonly subject: string;
  readonly sums: { readonly provider?: { readonly minor: string | number } };
}

function toFleetBreak(
  cell: string,
  { kind, subject, reference, paymentId, sums }: ReconciledBreak,
): FleetBreak {
  return { cell, kind, subject, reference, paymentId, providerMinor: String(sums.provider?.minor ?? "") };
}

import { findCell } from "../cells/home.sql.ts";
import { countPaymentsSince } from "../cells/load.sql.ts";
import { planMoves, type CellLoad, type RebalancePlan } from "../cells/rebalance.ts";
import { isUniverseId } from "../core/universe-id.ts";
import type { Environment } from "../postgres/migrate.ts";
import { systemScope } from "../postgres/database.ts";
import { queryAsOwner } from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { formatTextTable } from "../formats/text-table.ts";

export interface RebalanceOptions {
  /** Cells with the logins of their database owners. */
  readonly cells: readonly { readonly name: string; readonly url: string }[];
  readonly environment: Environment;
  readonly since: Date;
  readonly withinPercent: number;
}

/**
 * `planRebalance` counts the payments of all merchants in every cell, and plans moves that balance the cells.
 * `planRebalance` moves no merchant.
 */
export async function planRebalance({
  cells,
  environment,
  since,
  withinPercent,
}: RebalanceOptions): Promise<RebalancePlan> {
  const loads: CellLoad[] = [];
  for (const { name, url } of cells) loads.push(await measureLoad(name, url, environment, since));
  return planMoves(loads, withinPercent);
}

async function measureLoad(
  name: string,
  url: string,
  environment: Environment,
  since: Date,
): Promise<CellLoad> {
  return queryAsOwner(
    url,
    environment,
    systemScope,
    async (tx) => {
      const actualCell = await findCell(tx);
      if (actualCell !== name)
        throw new CommandFailed(`The given database of cell ${name} belongs to ${actualCell ?? "no cell"}.`);
      const merchants = await countPaymentsSince(tx, since);
      return { cell: name, merchants: merchants.filter(({ clientId }) => !isUniverseId(clientId)) };
    },
    { statementTimeoutMs: 10 * 60 * 1000 },
  );
}

export function formatRebalance({ moves, cells }: RebalancePlan): string {
  const table = formatTextTable([
    ["cell", "payments", "afterwards"],
    ...cells.map(({ cell, before, after }) => [cell, String(before), String(after)]),
  ]);
  const moveLines = moves.map(
    ({ clientId, from, to, payments }) =>
      `tollgate merchant move ${clientId} --to ${to}  # from ${from}, ${payments} payments`,
  );
  return [
    table,
    "",
    ...(moveLines.length > 0 ? moveLines : ["No move would improve the balance of the cells."]),
  ].join("\n");
}

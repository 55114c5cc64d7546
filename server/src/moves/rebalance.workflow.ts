import { findCell } from "../cells/home.sql.ts";
import { countPaymentsSince } from "../cells/load.sql.ts";
import { planMoves, type CellLoad, type Rebalance } from "../cells/rebalance.ts";
import { isUniverseId } from "../core/universe-id.ts";
import type { Environment } from "../postgres/migrate.ts";
import { systemScope } from "../postgres/database.ts";
import { asOwner } from "../operator-session/as-owner.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { align } from "../formats/text-table.ts";

export interface RebalanceAsked {
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
}: RebalanceAsked): Promise<Rebalance> {
  const loads: CellLoad[] = [];
  for (const { name, url } of cells) loads.push(await loadOf(name, url, environment, since));
  return planMoves(loads, withinPercent);
}

async function loadOf(name: string, url: string, environment: Environment, since: Date): Promise<CellLoad> {
  return asOwner(
    url,
    environment,
    systemScope,
    async (tx) => {
      const found = await findCell(tx);
      if (found !== name)
        throw new CommandFailed(`The given database of cell ${name} belongs to ${found ?? "no cell"}.`);
      const merchants = await countPaymentsSince(tx, since);
      return { cell: name, merchants: merchants.filter(({ clientId }) => !isUniverseId(clientId)) };
    },
    { statementTimeoutMs: 10 * 60 * 1000 },
  );
}

export function rebalanceText({ moves, cells }: Rebalance): string {
  const table = align([
    ["cell", "payments", "afterwards"],
    ...cells.map(({ cell, before, after }) => [cell, String(before), String(after)]),
  ]);
  const orders = moves.map(
    ({ clientId, from, to, payments }) =>
      `tollgate merchant move ${clientId} --to ${to}  # from ${from}, ${payments} payments`,
  );
  return [
    table,
    "",
    ...(orders.length > 0 ? orders : ["No move would improve the balance of the cells."]),
  ].join("\n");
}

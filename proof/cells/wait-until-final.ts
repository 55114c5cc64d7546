import type { CellFleet } from "./cell-fleet.ts";
import type { MerchantMove } from "./cell-moves.ts";
import { skipLongWaits } from "../oracle/database-state.ts";
import { queryHomeRows } from "./check-fleet.ts";
import { waitUntil } from "../trial/test-environment.ts";

/** Waits until every record is final, in each record's home cell; copies in old homes are ignored. */
export async function waitUntilAllFinal(
  fleet: CellFleet,
  moves: readonly MerchantMove[] = [],
): Promise<void> {
  const currentHomes = new Map(fleet.merchants.map(({ clientId, cell }) => [clientId, cell]));
  for (const { merchant, to } of moves) currentHomes.set(merchant.clientId, to);
  const all = queryHomeRows(fleet.cells, currentHomes);
  await waitUntil(
    async () => {
      await Promise.all(
        fleet.cells.map((cell) =>
          skipLongWaits({ execute: (_database, statement) => cell.execute(statement) }),
        ),
      );
      const open = await all.execute(
        "",
        `select client_id from payments where status in ('PROCESSING', 'PENDING')
         union all select client_id from refunds where status = 'PROCESSING'
         union all select client_id from reversals where status = 'PROCESSING'
         union all select client_id from notifications where status = 'WAITING' or position is null`,
      );
      return open.length === 0;
    },
    "every payment, refund and webhook to complete",
    60_000,
  ).catch(() => undefined);
}

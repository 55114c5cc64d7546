import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveMerchant, type Moved } from "../../src/moves/move-merchant.workflow.ts";
import { runPayouts, type RanPayouts } from "../../src/settlement/payouts/run-payouts.workflow.ts";
import { bucketCount } from "../../src/core/bucket.ts";
import type { AtPayout } from "../../src/core/crash-point.ts";
import { ourBank, settling, type Settling } from "../examples/settled-merchants.ts";
import type { TestDatabase } from "../start/test-database.ts";
import { newCell } from "./two-cells.ts";

export const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);

/** A cell without processes. The bank account that pays its merchants belongs to all cells of a test. */
export interface PayingCell extends Settling {
  readonly database: TestDatabase;
  payOut(at?: AtPayout): Promise<RanPayouts>;
  /** Payout references of a merchant at the bank, oldest first. */
  references(clientId: string): Promise<readonly string[]>;
  /** Status of the merchant's newest payout in this cell's database. */
  payoutStatus(clientId: string): Promise<string | undefined>;
}

export async function newPayingCell(
  name: string,
  buckets: readonly number[] = allBuckets,
): Promise<PayingCell> {
  const database = await newCell(name, buckets);
  const world = settling(database);
  await world.openBank();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-payouts-"));
  const payouts = (clientId: string): Promise<readonly { endToEndId: string; status: string }[]> =>
    world.rows(
      `select end_to_end_id as "endToEndId", status from payouts where client_id = $1 order by payout_id`,
      clientId,
    );
  return {
    ...world,
    database,
    payOut: (at) => runPayouts(world.operator, { bank: ourBank, folder, format: "pain.001.001.09" }, at),
    references: async (clientId) => (await payouts(clientId)).map(({ endToEndId }) => endToEndId),
    payoutStatus: async (clientId) => (await payouts(clientId)).at(-1)?.status,
  };
}

export async function moveBetween(
  clientId: string,
  from: PayingCell,
  to: PayingCell,
  onStep: (step: string) => void | Promise<void> = () => undefined,
): Promise<Moved> {
  return moveMerchant({
    clientId,
    sourceUrl: from.database.ownerUrl,
    targetUrl: to.database.ownerUrl,
    wants: "move",
    onStep,
  });
}

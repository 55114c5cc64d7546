import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveMerchant, type MerchantMoveResult } from "../../src/moves/move-merchant.workflow.ts";
import { runPayouts, type PayoutRunResult } from "../../src/settlement/payouts/run-payouts.workflow.ts";
import { bucketCount } from "../../src/core/bucket.ts";
import type { PayoutCrashPointHook } from "../../src/core/crash-point.ts";
import { ourBank, newSettlementFixture, type SettlementFixture } from "../examples/settlement-fixture.ts";
import type { TestDatabase } from "../start/test-database.ts";
import { newCellDatabase } from "./test-cell-database.ts";

export const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);

/** A cell without processes. The bank account that pays its merchants belongs to all cells of a test. */
export interface PayingCell extends SettlementFixture {
  readonly database: TestDatabase;
  payOut(at?: PayoutCrashPointHook): Promise<PayoutRunResult>;
  /** Payout references of a merchant at the bank, oldest first. */
  references(clientId: string): Promise<readonly string[]>;
  /** Status of the merchant's newest payout in this cell's database. */
  payoutStatus(clientId: string): Promise<string | undefined>;
}

export async function newPayingCell(
  name: string,
  buckets: readonly number[] = allBuckets,
): Promise<PayingCell> {
  const database = await newCellDatabase(name, buckets);
  const fixture = newSettlementFixture(database);
  await fixture.openBank();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-payouts-"));
  const payouts = (clientId: string): Promise<readonly { endToEndId: string; status: string }[]> =>
    fixture.rows(
      `select end_to_end_id as "endToEndId", status from payouts where client_id = $1 order by payout_id`,
      clientId,
    );
  return {
    ...fixture,
    database,
    payOut: (at) => runPayouts(fixture.operator, { bank: ourBank, folder, format: "pain.001.001.09" }, at),
    references: async (clientId) => (await payouts(clientId)).map(({ endToEndId }) => endToEndId),
    payoutStatus: async (clientId) => (await payouts(clientId)).at(-1)?.status,
  };
}

export async function moveBetween(
  clientId: string,
  from: PayingCell,
  to: PayingCell,
  onStep: (step: string) => void | Promise<void> = () => undefined,
): Promise<MerchantMoveResult> {
  return moveMerchant({
    clientId,
    sourceUrl: from.database.ownerUrl,
    targetUrl: to.database.ownerUrl,
    goal: "move",
    onStep,
  });
}

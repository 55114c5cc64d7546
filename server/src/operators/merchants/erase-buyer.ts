import { bucketOf } from "../../core/bucket.ts";
import {
  findErasableAuthorization,
  findErasablePayment,
  updateErased,
  type ErasedCounts,
} from "../../payments/erasure.sql.ts";
import { removeArchive } from "../../archive/archive-file.workflow.ts";
import { eraseFromArchive } from "../../archive/archive-read.workflow.ts";
import { actAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";

/** The payment or authorization whose buyer requests the erasure. */
export interface ErasureRequest {
  readonly clientId: string;
  readonly kind: "payment" | "authorization";
  readonly id: string;
  /** The folder of the archive, if the payment is archived. */
  readonly folder?: string | undefined;
}

/** Statement timeout, long enough for slow disks; rows are found by their keys. */
const statementTimeoutMs = 60_000;

const finders = { payment: findErasablePayment, authorization: findErasableAuthorization } as const;

/**
 * `eraseBuyer` erases a buyer's personal data from one payment or authorization. Ledger, statuses and idempotency
 * stay unchanged.
 */
export async function eraseBuyer(
  operator: Operator,
  { clientId, kind, id, folder }: ErasureRequest,
): Promise<ErasedCounts> {
  const key = { bucket: bucketOf(clientId), clientId };
  let replacedFile: string | undefined;
  const counts = await actAsOwner(
    operator,
    [clientId],
    async (tx) => {
      const found = await finders[kind](tx, key, id);
      if (!found) throw new CommandFailed(`${clientId} has no ${kind} ${id}.`);
      if (found.open.length > 0)
        throw new CommandFailed(
          `Nothing was erased, because it is not final: ${found.open.join(", ")}. Run the command again later.`,
        );
      replacedFile = await eraseFromArchive(tx, operator.environment, folder, { key, paymentId: id });
      const value = { ...(await updateErased(tx, key, found)), archives: replacedFile === undefined ? 0 : 1 };
      return { value, audit: { act: "buyer erase", subject: id, clientId, after: value } };
    },
    { statementTimeoutMs, readsWholeTables: false },
  );
  // The old archive file is removed after the commit, because it is the valid one until the commit.
  if (folder !== undefined && replacedFile !== undefined) await removeArchive(folder, replacedFile);
  return counts;
}

export function erasureText(counts: ErasedCounts): string {
  const parts = Object.entries(counts).flatMap(([table, count]) => (count > 0 ? [`${table} ${count}`] : []));
  return (
    `Erased rows by table: ${parts.join(", ")}.\nOlder backups still contain the data. After a restore, ` +
    "repeat all erasures in `tollgate audit list --act 'buyer erase'`."
  );
}

import { bucketOf } from "../core/bucket.ts";
import {
  findErasableAuthorization,
  findErasablePayment,
  updateErased,
  type ErasedCounts,
} from "../payments/erasure.sql.ts";
import { removeArchive } from "./archive-file.ts";
import { eraseArchived } from "./archive-read.ts";
import { actAsOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";

/** The payment or the authorization whose buyer asks for it. */
export interface Erasing {
  readonly clientId: string;
  readonly kind: "payment" | "authorization";
  readonly id: string;
  /** The archive's folder, for a payment that is in it. */
  readonly folder?: string | undefined;
}

/** The request log is searched, and a merchant may have millions of calls in it. */
const statementTimeoutMs = 600_000;

const finders = { payment: findErasablePayment, authorization: findErasableAuthorization } as const;

/** Erases what is known about a buyer from one payment, or from one agreement. Books, states and idempotency stay as they are. */
export async function eraseBuyer(
  operator: Operator,
  { clientId, kind, id, folder }: Erasing,
): Promise<ErasedCounts> {
  const key = { bucket: bucketOf(clientId), clientId };
  let replaced: string | undefined;
  const counts = await actAsOwner(
    operator,
    [clientId],
    async (tx) => {
      const found = await finders[kind](tx, key, id);
      if (!found) throw new Impossible(`${clientId} has no ${kind} ${id}.`);
      if (found.open.length > 0)
        throw new Impossible(
          `It is not over yet: ${found.open.join(", ")} still needs what would be erased.`,
        );
      replaced = await eraseArchived(tx, operator.environment, folder, { key, paymentId: id });
      const value = { ...(await updateErased(tx, key, found)), archives: replaced === undefined ? 0 : 1 };
      return { value, audit: { act: "buyer erase", subject: id, clientId, after: value } };
    },
    { statementTimeoutMs, readsWholeTables: true },
  );
  // Only now: until the commit, the file from before is the one that counts.
  if (folder !== undefined && replaced !== undefined) await removeArchive(folder, replaced);
  return counts;
}

export function erasedText(counts: ErasedCounts): string {
  const parts = Object.entries(counts).flatMap(([table, count]) => (count > 0 ? [`${table} ${count}`] : []));
  return (
    `Erased, rows by table: ${parts.join(", ")}.\n` +
    "Backups from before still have it: after a restore, run it again for all that `tollgate audit list --act 'buyer erase'` lists."
  );
}

import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  listByPrimaryKey,
  listByAmount,
  listByDisplayStatus,
  listByKind,
  listByMinor,
  listByText,
} from "./found-payment.sql.ts";
import {
  isTypedAmount,
  minorsOf,
  readTypedAmount,
  type AmountRange,
  type PaymentKind,
} from "./found-payment.ts";

export interface Asked {
  readonly search: string | undefined;
  readonly kind: PaymentKind;
  readonly amounts: AmountRange;
}

/**
 * `findPaymentIds` returns the ids of payments that match the filters, the newest first. It returns one id more than
 * the limit, to show whether there is a next page. It selects the query that reads least.
 */
export async function findPaymentIds(
  tx: Tx,
  owner: ClientKey,
  { search, kind, amounts }: Asked,
  window: PageWindow,
): Promise<readonly string[]> {
  if (search !== undefined) return findByText(tx, owner, search.trim(), window);
  if (kind.status === "SUCCESS" && kind.displayStatus !== undefined)
    return listByDisplayStatus(tx, owner, kind, amounts, window);
  const hasAmount = amounts.fromMinor !== undefined || amounts.untilMinor !== undefined;
  const few = hasAmount ? await listByAmount(tx, owner, kind, amounts, window) : undefined;
  if (few) return few;
  const hasKind = Object.values(kind).some((value) => value !== undefined);
  return hasKind
    ? listByKind(tx, owner, kind, amounts, window)
    : listByPrimaryKey(tx, owner, amounts, window);
}

async function findByText(
  tx: Tx,
  owner: ClientKey,
  text: string,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const typed = readTypedAmount(text);
  const minors = typed ? minorsOf(typed) : [];
  const found = [
    ...(await listByText(tx, owner, text)),
    ...(typed && minors.length > 0
      ? (await listByMinor(tx, owner, minors))
          .filter((each) => isTypedAmount(typed, each))
          .map(({ paymentId }) => paymentId)
      : []),
  ];
  return [...new Set(found)]
    .filter((id) => id >= idFrom && id < idBefore)
    .toSorted()
    .toReversed()
    .slice(0, limit + 1);
}

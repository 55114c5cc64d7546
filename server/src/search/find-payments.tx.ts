import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  listByPrimaryKey,
  listByAmount,
  listByDisplayStatus,
  listByFilter,
  listByAmountMinor,
  listByText,
} from "./payment-search.sql.ts";
import {
  matchesTypedAmount,
  possibleMinorsOf,
  readTypedAmount,
  type AmountRange,
  type PaymentFilter,
} from "./payment-search.ts";

export interface PaymentQuery {
  readonly search: string | undefined;
  readonly filter: PaymentFilter;
  readonly amounts: AmountRange;
}

/**
 * `findPaymentIds` returns the ids of payments that match the filters, the newest first. It returns one id more than
 * the limit, to show whether there is a next page. It selects the query that reads least.
 */
export async function findPaymentIds(
  tx: Tx,
  owner: ClientKey,
  { search, filter, amounts }: PaymentQuery,
  window: PageWindow,
): Promise<readonly string[]> {
  if (search !== undefined) return findByText(tx, owner, search.trim(), window);
  if (filter.status === "SUCCESS" && filter.displayStatus !== undefined)
    return listByDisplayStatus(tx, owner, filter, amounts, window);
  const hasAmount = amounts.fromMinor !== undefined || amounts.untilMinor !== undefined;
  const fewIds = hasAmount ? await listByAmount(tx, owner, filter, amounts, window) : undefined;
  if (fewIds) return fewIds;
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  return hasFilter
    ? listByFilter(tx, owner, filter, amounts, window)
    : listByPrimaryKey(tx, owner, amounts, window);
}

async function findByText(
  tx: Tx,
  owner: ClientKey,
  text: string,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const typed = readTypedAmount(text);
  const minors = typed ? possibleMinorsOf(typed) : [];
  const found = [
    ...(await listByText(tx, owner, text)),
    ...(typed && minors.length > 0
      ? (await listByAmountMinor(tx, owner, minors))
          .filter((each) => matchesTypedAmount(typed, each))
          .map(({ paymentId }) => paymentId)
      : []),
  ];
  return [...new Set(found)]
    .filter((id) => id >= idFrom && id < idBefore)
    .toSorted()
    .toReversed()
    .slice(0, limit + 1);
}

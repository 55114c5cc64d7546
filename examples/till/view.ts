import { Money, type Amount } from "../../clients/typescript/src/generated/package.ts";
import { isOpen, refundableMinor, totalsOf, type Refund, type Sale, type SaleMode } from "./sale.ts";
import type { Till } from "./till.ts";
import { screenTextFor, type ScreenText } from "./screen-texts.ts";

/** The data of a sale that the page shows. */
interface SaleView extends ScreenText {
  readonly id: string;
  readonly at: string;
  readonly way: SaleMode;
  readonly place: string | undefined;
  readonly state: Sale["state"];
  readonly resultCode: string | undefined;
  readonly amount: string;
  readonly mayCancel: boolean;
  readonly mayCheck: boolean;
  /** The code to scan, as an image. */
  readonly picture: string | undefined;
  readonly shownUntil: string | undefined;
  /** The amount that can still be refunded; undefined if it is zero or unknown. */
  readonly left: string | undefined;
  readonly refunds: readonly RefundView[];
}

interface RefundView extends Pick<Refund, "id" | "state" | "resultCode"> {
  readonly amount: string;
}

interface TotalView {
  readonly currency: string;
  readonly count: number;
  readonly taken: string;
  readonly givenBack: string;
  readonly kept: string;
}

/**
 * The complete state of a page. It is small, so it is always sent as a whole, and a page that missed an update
 * recovers.
 */
export interface TillView {
  readonly sale: SaleView | undefined;
  readonly sales: readonly SaleView[];
  readonly totals: readonly TotalView[];
  readonly shiftSince: string | undefined;
}

export function viewOf({ saleStore, shownId }: Till): TillView {
  const shown = saleStore.find(shownId ?? "");
  const sales = saleStore.listShift();
  return {
    sale: shown && saleView(shown),
    sales: sales.map(saleView),
    totals: totalsOf(sales).map(({ currency, count, paidMinor, refundedMinor }) => ({
      currency,
      count,
      taken: formatMinor(currency, paidMinor),
      givenBack: formatMinor(currency, refundedMinor),
      kept: formatMinor(currency, paidMinor - refundedMinor),
    })),
    shiftSince: saleStore.shiftStartedAt(),
  };
}

function saleView(sale: Sale): SaleView {
  const { id, at, way, place, state, resultCode, amount, shown, shownUntil, refunds } = sale;
  const left = refundableMinor(sale);
  const isUnknown = refunds.some((refund) => refund.state === "asked" || refund.state === "unknown");
  const showsCode = way === "order" && state === "shows" && shown !== undefined;
  return {
    id,
    at,
    way,
    place,
    state,
    resultCode,
    ...screenTextFor(state, resultCode),
    amount: formatAmount(amount),
    mayCancel: isOpen(sale) && state !== "cancelling",
    mayCheck: state === "unknown",
    picture: showsCode ? `/codes/${encodeURIComponent(id)}.svg` : undefined,
    shownUntil: showsCode ? shownUntil : undefined,
    left: left > 0n && !isUnknown ? Money.ofMinor(amount.currency, left).toDecimal() : undefined,
    refunds: refunds.map((refund) => ({ ...refund, amount: formatAmount(refund.amount) })),
  };
}

/** `€4.50`, as the buyer sees it on the other pages. */
export function formatAmount({ currency, value }: Amount): string {
  return formatMinor(currency, BigInt(value));
}

function formatMinor(currency: string, minor: bigint): string {
  const formatter = new Intl.NumberFormat("en", { style: "currency", currency });
  // The formatter gets the decimal text, because a number would lose digits of large sums.
  return formatter.format(Money.ofMinor(currency, minor).toDecimal() as Intl.StringNumericLiteral);
}

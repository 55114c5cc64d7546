import { formatAmount } from "../wallet/amount.ts";
import type { Authorization } from "../wallet/authorization.ts";
import type { Dispute } from "../wallet/dispute.ts";
import { isExpired, type Order } from "../wallet/order.ts";
import { escapeHtml } from "./page.ts";

/** Returns a heading and a list as HTML. For an empty list it returns `emptyText`, or an empty text. */
export function section(title: string, entries: readonly string[], emptyText?: string): string {
  const empty = emptyText === undefined ? [] : [`<li class="note">${emptyText}</li>`];
  const items = entries.length === 0 ? empty : entries;
  return items.length === 0 ? "" : `<h2>${title}</h2>\n<ul class="list">${items.join("")}</ul>`;
}

interface Entry {
  readonly href: string;
  readonly name: string;
  readonly figure: string;
  readonly about: string;
  readonly state: string;
}

function entry({ href, name, figure, about, state }: Entry): string {
  const [first = "", second = "", third = "", fourth = ""] = [name, figure, about, state].map(escapeHtml);
  return `<li><a class="entry" href="${escapeHtml(href)}"><span>${first}</span><span>${second}</span>
<span><small>${third}</small></span><span><small>${fourth}</small></span></a></li>`;
}

export function orderEntry(order: Order, nowMs: number): string {
  const { token, merchantName, paidAmount, amount, description } = order;
  return entry({
    href: `/pay/${token}`,
    name: merchantName,
    figure: formatAmount(paidAmount ?? amount),
    about: description,
    state: stateOf(order, nowMs),
  });
}

const stateTexts: Readonly<Record<Order["state"], string>> = {
  OPEN: "open",
  PENDING: "being decided",
  AUTHORIZED: "held",
  PAID: "paid",
  DECLINED: "declined",
  CLOSED: "closed",
  LAPSED: "hold expired",
};

function stateOf(order: Order, nowMs: number): string {
  const { state, refunds, captures, releasedMinor, amount, paidAmount } = order;
  const { currency } = paidAmount ?? amount;
  const format = (minor: bigint): string => formatAmount({ currency, value: String(minor) });
  if (refunds.PROCESSING > 0n) return `${format(refunds.PROCESSING)} refund in progress`;
  if (refunds.DONE > 0n) return `${format(refunds.DONE)} refunded`;
  if (refunds.FAILED > 0n) return `${format(refunds.FAILED)} refund failed`;
  if (captures.PROCESSING > 0n) return `${format(captures.PROCESSING)} charge in progress`;
  if (captures.DONE > 0n) return `${format(captures.DONE)} charged`;
  if (captures.FAILED > 0n) return `${format(captures.FAILED)} charge failed`;
  if (state === "CLOSED" && releasedMinor > 0n) return "released";
  return state === "OPEN" && isExpired(order, nowMs) ? "too late" : stateTexts[state];
}

const agreementTexts: Readonly<Record<Authorization["state"], string>> = {
  OPEN: "needs your consent",
  AGREED: "agreed",
  ACTIVE: "in force",
  DECLINED: "declined",
  CANCELED: "taken back",
  REVOKED: "ended by the shop",
};

export function agreementEntry({ token, merchantName, scopes, state }: Authorization): string {
  return entry({
    href: `/authorize/${token}`,
    name: merchantName,
    figure: "",
    about: scopes.join(", "),
    state: agreementTexts[state],
  });
}

export const disputeTexts: Readonly<Record<Dispute["state"], string>> = {
  OPEN: "open",
  DEFENDED: "the shop has defended",
  ACCEPTED: "the shop has accepted",
  CANCELLED: "withdrawn",
  JUDGED: "judged",
  RESOLVED: "refunded",
};

/** The list entry of a dispute. The entry links to the page of the disputed order. */
export function disputeEntry({ amount, reasonMessage, state }: Dispute, order: Order): string {
  return entry({
    href: `/pay/${order.token}`,
    name: order.merchantName,
    figure: formatAmount(amount),
    about: reasonMessage,
    state: disputeTexts[state],
  });
}

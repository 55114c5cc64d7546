import { formatAmount } from "./amount.ts";
import type { Authorization } from "./authorization.ts";
import type { Dispute } from "./dispute.ts";
import { isExpired, type Order } from "./order.ts";
import { escapeHtml } from "./page.ts";

/** A heading and a list; nothing for an empty one, unless there is something to say about it. */
export function section(title: string, entries: readonly string[], otherwise?: string): string {
  const empty = otherwise === undefined ? [] : [`<li class="note">${otherwise}</li>`];
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

const stateWords: Readonly<Record<Order["state"], string>> = {
  OPEN: "open",
  PENDING: "being decided",
  AUTHORIZED: "held",
  PAID: "paid",
  DECLINED: "declined",
  CLOSED: "closed",
};

function stateOf(order: Order, nowMs: number): string {
  const { state, refundedMinor, capturedMinor, releasedMinor, amount, paidAmount } = order;
  const { currency } = paidAmount ?? amount;
  const shown = (minor: bigint): string => formatAmount({ currency, value: String(minor) });
  if (refundedMinor > 0n) return `${shown(refundedMinor)} given back`;
  if (state === "AUTHORIZED" && capturedMinor > 0n) return `${shown(capturedMinor)} of it taken`;
  if (state === "CLOSED" && releasedMinor > 0n) return "let go";
  return state === "OPEN" && isExpired(order, nowMs) ? "too late" : stateWords[state];
}

const agreementWords: Readonly<Record<Authorization["state"], string>> = {
  OPEN: "asks for your consent",
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
    state: agreementWords[state],
  });
}

export const disputeWords: Readonly<Record<Dispute["state"], string>> = {
  OPEN: "open",
  DEFENDED: "the shop defends itself",
  ACCEPTED: "the shop gave in",
  CANCELLED: "withdrawn",
  JUDGED: "judged",
  RESOLVED: "given back",
};

/** On the page of its order. */
export function disputeEntry({ amount, reasonMessage, state }: Dispute, order: Order): string {
  return entry({
    href: `/pay/${order.token}`,
    name: order.merchantName,
    figure: formatAmount(amount),
    about: reasonMessage,
    state: disputeWords[state],
  });
}

import { formatAmount, type Amount } from "./amount.ts";
import type { Authorization } from "./authorization.ts";
import { readBody, type Exchange } from "./exchange.ts";
import { isExpired, type Order } from "./order.ts";
import { escapeHtml, page, sendPage } from "./page.ts";
import type { Wallet } from "./wallet.ts";

const historyMax = 20;
const refreshSeconds = 10;

/**
 * The wallet's first page. It lists orders only where it was told to, because whoever sees the link of an order may pay
 * it: on a developer's machine that is one person, elsewhere it may be anybody.
 */
export async function answerVisitor(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders }: { readonly listsOrders: boolean },
): Promise<void> {
  await readBody(request);
  if (request.method !== "GET" && request.method !== "HEAD")
    return sendPage(response, 405, page("Not here", "<h1>This page is only read.</h1>"));
  return sendPage(response, 200, listsOrders ? homePage(wallet) : closedPage);
}

const toTheTill = '<a class="button" href="/codes">Show a code at the till</a>';

const closedPage = page(
  "Your wallet",
  `<h1>This is a wallet to try payments with</h1>
<p class="note">It moves no money. Orders are paid on the page to which the shop leads you.</p>
${toTheTill}`,
);

/** Open orders, agreements and history, of all buyers: a developer plays them all. */
function homePage({ book, now }: Wallet): string {
  const orders = book.orders().toReversed();
  const isOpen = (order: Order): boolean =>
    order.state === "PENDING" || (order.state === "OPEN" && !isExpired(order, now()));
  const open = orders.filter(isOpen);
  const past = orders.filter((order) => !isOpen(order)).slice(0, historyMax);
  const agreements = book.authorizations().toReversed().slice(0, historyMax);
  return page(
    "Your wallet",
    `<h1>Your wallet</h1>
<p class="note">You are every buyer here, and there is always enough money.</p>
${toTheTill}
${
  section(
    "To be paid",
    open.map((order) => orderEntry(order, now())),
  ) || nothingOpen
}
${section("Agreements", agreements.map(agreementEntry))}
${section(
  "History",
  past.map((order) => orderEntry(order, now())),
)}`,
    refreshSeconds,
  );
}

const nothingOpen = '<h2>To be paid</h2><ul><li class="note">Nothing waits for you.</li></ul>';

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? "" : `<h2>${title}</h2><ul>${entries.join("")}</ul>`;
}

interface Entry {
  readonly href: string;
  readonly name: string;
  readonly figure: string;
  readonly about: string;
  readonly state: string;
}

function entry({ href, name, figure, about, state }: Entry): string {
  const [first, ...others] = [name, figure, about, state].map(escapeHtml);
  const [second = "", third = "", fourth = ""] = others;
  return `<li><a class="entry" href="${escapeHtml(href)}"><span>${first}</span><span>${second}</span>
<span><small>${third}</small></span><span><small>${fourth}</small></span></a></li>`;
}

function orderEntry(order: Order, nowMs: number): string {
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
  const { state, refundedMinor, capturedMinor, amount, paidAmount } = order;
  const { currency } = paidAmount ?? amount;
  const shown = (minor: bigint): string => formatAmount({ currency, value: String(minor) } satisfies Amount);
  if (refundedMinor > 0n) return `${shown(refundedMinor)} given back`;
  if (state === "AUTHORIZED" && capturedMinor > 0n) return `${shown(capturedMinor)} of it taken`;
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

function agreementEntry({ token, merchantName, scopes, state }: Authorization): string {
  return entry({
    href: `/authorize/${token}`,
    name: merchantName,
    figure: agreementWords[state],
    about: scopes.join(", "),
    state: "",
  });
}

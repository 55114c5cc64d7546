import { formatAmount } from "../wallet/amount.ts";
import { balances, type Balance } from "../wallet/balance.ts";
import { agreementEntry, disputeEntry, orderEntry, section } from "./entries.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { isWaiting } from "../wallet/order.ts";
import { escapeHtml, page, sendNote, sendPage, type Place } from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";

const refreshSeconds = 10;
const newestMax = 20;

/**
 * The wallet's first page. It lists orders only with `--list-orders`, because every visitor who sees the link of an
 * order can pay it. On a developer's machine the only visitor is the developer; on a shared machine it can be any
 * person.
 */
export async function handleHomePage(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders, tillUrl }: Place,
): Promise<void> {
  await readBody(request);
  if (request.method !== "GET" && request.method !== "HEAD")
    return sendNote(response, 405, "Method not allowed", "This page accepts only GET.");
  return sendPage(response, 200, listsOrders ? homePage(wallet, tillUrl) : closedPage);
}

const waysToPay = `<p class="ways"><a class="button main" href="/codes">Show a code</a>
<a class="button" href="/scan">Scan a code</a></p>`;

const closedPage = page(
  "Your wallet",
  `<h1>This is a wallet for trying payments</h1>
<p class="note">It moves no money. You pay an order on the page that the shop opens.</p>
${waysToPay}`,
  { tab: "home" },
);

/** Shows the orders of all buyers, because a developer acts as each of them. */
function homePage({ book, now, lineCount }: Wallet, tillUrl: string | undefined): string {
  const orders = book.orders().toReversed();
  const waiting = orders.filter((order) => isWaiting(order, now()));
  const newest = orders.filter((order) => !isWaiting(order, now())).slice(0, newestMax);
  const agreements = book
    .authorizations()
    .toReversed()
    .filter(({ state }) => state === "OPEN" || state === "AGREED" || state === "ACTIVE");
  return page(
    "Your wallet",
    `${balanceCard(balances(book.movements(), orders))}
${waysToPay}
${tillUrl === undefined ? "" : tillLink(tillUrl)}
${section(
  "To be paid",
  waiting.map((order) => orderEntry(order, now())),
  "No payment is waiting.",
)}
${section("Disputes", openDisputes(book))}
${section("Agreements", agreements.map(agreementEntry))}
${section(
  "Lately",
  newest.map((order) => orderEntry(order, now())),
)}`,
    { tab: "home", refreshSeconds, news: { href: "/news", version: String(lineCount()) } },
  );
}

/** A link to the point of sale in a new tab, because a developer who acts as buyer and as cashier needs both pages. */
function tillLink(tillUrl: string): string {
  const href = escapeHtml(tillUrl);
  return `<p class="note"><a href="${href}" target="_blank" rel="noopener">Open the point of sale</a>, and pay there with this wallet.</p>`;
}

function openDisputes(book: Wallet["book"]): readonly string[] {
  const open = book.disputes().filter(({ state }) => state === "OPEN" || state === "DEFENDED");
  return open.toReversed().flatMap((dispute) => {
    const order = book.orderById(dispute.walletOrderId);
    return order ? [disputeEntry(dispute, order)] : [];
  });
}

function balanceCard(sums: readonly Balance[]): string {
  return `<section class="balance"><h1>Spent so far</h1>
${sums.length === 0 ? '<p class="sum">Nothing yet</p>' : sums.map(balanceLines).join("\n")}
<p>You act as every buyer here, and there is always enough money.</p></section>`;
}

function balanceLines({ currency, paidMinor, givenBackMinor, heldMinor }: Balance): string {
  const shown = (minor: bigint): string => formatAmount({ currency, value: String(minor) });
  const parts = [
    givenBackMinor > 0n ? `${shown(paidMinor)} paid, ${shown(givenBackMinor)} refunded` : "",
    heldMinor > 0n ? `${shown(heldMinor)} held` : "",
  ].filter((part) => part !== "");
  const about = parts.length === 0 ? "" : `<p>${parts.join("; ")}</p>`;
  // The spent amount is never negative, although a wallet with the fault not-idempotent may have refunded more than was
  // paid.
  const spentMinor = paidMinor > givenBackMinor ? paidMinor - givenBackMinor : 0n;
  return `<p class="sum">${shown(spentMinor)}</p>${about}`;
}

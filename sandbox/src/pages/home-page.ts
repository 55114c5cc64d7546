import { formatAmount } from "../wallet/amount.ts";
import { balances, type Balance } from "../wallet/balance.ts";
import { agreementEntry, disputeEntry, orderEntry, section } from "./list-entries.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { isWaiting } from "../wallet/order.ts";
import { escapeHtml, page, sendMessagePage, sendPage, type PageOptions } from "./page.ts";
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
  { listsOrders, tillUrl }: PageOptions,
): Promise<void> {
  await readBody(request);
  if (request.method !== "GET" && request.method !== "HEAD")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET.");
  return sendPage(response, 200, listsOrders ? homePage(wallet, tillUrl) : closedPage);
}

const payLinks = `<p class="ways"><a class="button main" href="/codes">Show a code</a>
<a class="button" href="/scan">Scan a code</a></p>`;

const closedPage = page(
  "Your wallet",
  `<h1>This is a wallet for trying payments</h1>
<p class="note">It moves no money. You pay an order on the page that the shop opens.</p>
${payLinks}`,
  { tab: "home" },
);

/** Shows the orders of all buyers, because a developer acts as each of them. */
function homePage({ projection, now, lineCount }: Wallet, tillUrl: string | undefined): string {
  const orders = projection.orders().toReversed();
  const waiting = orders.filter((order) => isWaiting(order, now()));
  const newest = orders.filter((order) => !isWaiting(order, now())).slice(0, newestMax);
  const agreements = projection
    .authorizations()
    .toReversed()
    .filter(({ state }) => state === "OPEN" || state === "AGREED" || state === "ACTIVE");
  return page(
    "Your wallet",
    `${balanceCard(balances(projection.movements(), orders))}
${payLinks}
${tillUrl === undefined ? "" : tillLink(tillUrl)}
${section(
  "To be paid",
  waiting.map((order) => orderEntry(order, now())),
  "No payment is waiting.",
)}
${section("Disputes", openDisputes(projection))}
${section("Agreements", agreements.map(agreementEntry))}
${section(
  "Lately",
  newest.map((order) => orderEntry(order, now())),
)}`,
    { tab: "home", refreshSeconds, poll: { href: "/news", version: String(lineCount()) } },
  );
}

/** A link to the point of sale in a new tab, because a developer who acts as buyer and as cashier needs both pages. */
function tillLink(tillUrl: string): string {
  const href = escapeHtml(tillUrl);
  return `<p class="note"><a href="${href}" target="_blank" rel="noopener">Open the point of sale</a>, and pay there with this wallet.</p>`;
}

function openDisputes(projection: Wallet["projection"]): readonly string[] {
  const open = projection.disputes().filter(({ state }) => state === "OPEN" || state === "DEFENDED");
  return open.toReversed().flatMap((dispute) => {
    const order = projection.orderById(dispute.providerOrderId);
    return order ? [disputeEntry(dispute, order)] : [];
  });
}

function balanceCard(sums: readonly Balance[]): string {
  return `<section class="balance"><h1>Spent so far</h1>
${sums.length === 0 ? '<p class="sum">Nothing yet</p>' : sums.map(balanceLines).join("\n")}
<p>You act as every buyer here, and there is always enough money.</p></section>`;
}

function balanceLines({ currency, paidMinor, refundedMinor, ...more }: Balance): string {
  const { heldMinor, capturingMinor, refundingMinor } = more;
  const format = (minor: bigint): string => formatAmount({ currency, value: String(minor) });
  const parts = [
    refundedMinor > 0n ? `${format(paidMinor)} paid, ${format(refundedMinor)} refunded` : "",
    heldMinor > 0n ? `${format(heldMinor)} held` : "",
    capturingMinor > 0n ? `${format(capturingMinor)} charge in progress` : "",
    refundingMinor > 0n ? `${format(refundingMinor)} refund in progress` : "",
  ].filter((part) => part !== "");
  const about = parts.length === 0 ? "" : `<p>${parts.join("; ")}</p>`;
  // The spent amount is never negative, although a wallet with the fault not-idempotent may have refunded more than was
  // paid.
  const spentMinor = paidMinor > refundedMinor ? paidMinor - refundedMinor : 0n;
  return `<p class="sum">${format(spentMinor)}</p>${about}`;
}

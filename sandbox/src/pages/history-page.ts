import { agreementEntry, disputeEntry, orderEntry, section } from "./list-entries.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { isWaiting, type Order } from "../wallet/order.ts";
import { page, sendMessagePage, sendPage, type PageOptions } from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";

const historyMax = 100;
const refreshSeconds = 10;
const dayMs = 24 * 3600 * 1000;

/**
 * The page of completed orders by day, and of all agreements and disputes. The wallet has it only if it lists orders.
 */
export async function handleHistoryPage(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders }: PageOptions,
): Promise<void> {
  await readBody(request);
  if (request.method !== "GET" && request.method !== "HEAD")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET.");
  return sendPage(response, 200, listsOrders ? historyPage(wallet) : closedPage);
}

const closedPage = page(
  "History",
  `<h1>History</h1>
<p class="note">Several people share this wallet, so it lists no orders. To list them on your own machine, start the wallet with --list-orders.</p>`,
  { tab: "history" },
);

function historyPage({ projection, now, lineCount }: Wallet): string {
  const completedOrders = projection
    .orders()
    .toReversed()
    .filter((order) => !isWaiting(order, now()))
    .sort((one, other) => other.changedTime.localeCompare(one.changedTime))
    .slice(0, historyMax);
  const days = Map.groupBy(completedOrders, ({ changedTime }) => changedTime.slice(0, 10));
  const groups = [...days].map(([day, orders]) => dayGroup(day, orders, now()));
  const disputes = projection.disputes().toReversed().slice(0, historyMax);
  const agreements = projection.authorizations().toReversed().slice(0, historyMax);
  const disputed = disputes.flatMap((dispute) => {
    const order = projection.orderById(dispute.providerOrderId);
    return order ? [disputeEntry(dispute, order)] : [];
  });
  return page(
    "History",
    `<h1>History</h1>
${groups.length === 0 ? '<p class="note">Nothing has been paid or declined yet.</p>' : groups.join("\n")}
${section("Disputes", disputed)}
${section("Agreements", agreements.map(agreementEntry))}
<p class="name">Days are in UTC. The page shows the newest ${historyMax} of each kind; the journal contains all.</p>`,
    { tab: "history", refreshSeconds, poll: { href: "/news", version: String(lineCount()) } },
  );
}

function dayGroup(day: string, orders: readonly Order[], nowMs: number): string {
  return section(
    dayName(day, nowMs),
    orders.map((order) => orderEntry(order, nowMs)),
  );
}

function dayName(day: string, nowMs: number): string {
  const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
  if (day === dayOf(nowMs)) return "Today";
  if (day === dayOf(nowMs - dayMs)) return "Yesterday";
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return format.format(new Date(`${day}T00:00:00Z`));
}

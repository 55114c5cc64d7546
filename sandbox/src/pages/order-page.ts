import { formatAmount } from "../wallet/amount.ts";
import { disputeTexts } from "./list-entries.ts";
import type { Dispute } from "../wallet/dispute.ts";
import { pageVersion } from "./status-events.ts";
import { framedBy } from "../wallet/next-action.ts";
import type { MoneyState } from "../wallet/money-record.ts";
import { heldMinor, isExpired, paysByCard, type Order } from "../wallet/order.ts";
import { escapeHtml, page, definitionList, stateIcon, type Frame, type Tone } from "./page.ts";
import { disputeEventForm, testOutcomes } from "./test-outcomes.ts";
import type { Wallet } from "../wallet/wallet.ts";

export interface Viewer {
  /** Whether the viewer may use all test outcomes; other viewers are buyers. */
  readonly isDeveloper: boolean;
  /** Whether the viewer has just tried to pay the order twice. */
  readonly triedTwice?: boolean;
}

/** The page of an order in its current state. */
export function orderPage(wallet: Wallet, order: Order, viewer: Viewer): string {
  const nowMs = wallet.now();
  const frame: Frame = {
    tab: "pay",
    root: "../",
    refreshSeconds: 10,
    poll: { href: `../news?order=${order.token}`, version: pageVersion(wallet, order) },
  };
  const tests = testOutcomes(wallet, order, viewer);
  const needsApproval = order.state === "OPEN" && !isExpired(order, nowMs);
  if (needsApproval)
    return page(
      `Pay ${order.merchantName}`,
      `${approvalForm(order)}\n${cardLink(wallet, order)}${tests}\n${paymentName(order)}`,
      frame,
    );
  if (order.state === "PENDING")
    return page("Pending", `${pending(wallet, order)}\n${tests}\n${paymentName(order)}`, frame);
  const ending = finalViewOf(order);
  return page(ending.title, finalCard(wallet, order, viewer, ending) + tests + paymentName(order), frame);
}

/** The approval form, which the script also shows on other pages if the order needs approval. */
function approvalForm(order: Order): string {
  return `<section class="card ask"><h1>${escapeHtml(order.merchantName)}</h1>
${amountOf(order)}
${definitionList(terms(order))}
${order.capture === "MANUAL" ? '<p class="note">The amount is held, and charged when the shop captures it.</p>' : ""}
${decision}</section>`;
}

/** The link to the card page, for a viewer of this page. Checkout redirects buyers directly to the card page. */
function cardLink({ pageUrl }: Wallet, order: Order): string {
  if (!paysByCard(order)) return "";
  return `<a class="button after" href="${escapeHtml(pageUrl(order))}">Type a test card</a>\n`;
}

const decision = `<form method="post">
<button class="main" name="choice" value="approve">Approve</button>
<button name="choice" value="decline">Decline</button>
</form>`;

/**
 * The page of an order that the buyer has approved and the wallet has not decided. In the simulator, the same person
 * can then decide for the wallet.
 */
function pending({ plans, now }: Wallet, order: Order): string {
  const [plan] = plans.plansOf(order.providerOrderId);
  const soon = plan ? ` It approves automatically in ${formatSeconds(plan.atMs - now())}.` : "";
  return `<section class="card">${stateIcon("wait")}
<h1>The wallet is still deciding</h1>
${amountOf(order)}
<p class="note">The shop is notified as soon as the wallet decides.${soon} You can decide for the wallet:</p>
${decision}</section>`;
}

function formatSeconds(ms: number): string {
  return `${Math.max(0, Math.ceil(ms / 1000))} s`;
}

interface FinalView {
  readonly tone: Tone;
  readonly title: string;
  readonly note: string;
}

const paid: FinalView = { tone: "good", title: "Paid", note: "The payment is complete." };
const authorizedView: FinalView = {
  tone: "good",
  title: "Held",
  note: "The amount is held for the shop, and not charged yet.",
};
const declined: FinalView = { tone: "bad", title: "Declined", note: "Nothing was charged." };
const notEnoughMoney: FinalView = { ...declined, title: "Not enough money" };
const closed: FinalView = { ...declined, title: "Closed", note: "This order can no longer be paid." };
const released: FinalView = {
  tone: "wait",
  title: "Released",
  note: "The hold was released. Nothing was charged.",
};
const lapsed: FinalView = {
  ...released,
  note: "The hold expired before the shop charged it. Nothing was charged.",
};
const expired: FinalView = {
  tone: "wait",
  title: "Too late",
  note: "The time to pay has expired. Nothing was charged.",
};

function finalViewOf(order: Order): FinalView {
  switch (order.state) {
    case "OPEN":
    case "PENDING":
      return expired;
    case "AUTHORIZED":
      return heldView(order);
    case "PAID":
      return paid;
    case "DECLINED":
      return order.resultCode === "USER_BALANCE_NOT_ENOUGH" ? notEnoughMoney : declined;
    case "CLOSED":
      return order.releasedMinor > 0n ? released : closed;
    case "LAPSED":
      return order.captures.DONE > 0n
        ? { ...paid, note: "The shop has charged a part. The hold has expired." }
        : lapsed;
  }
}

/** The text about an authorization hold of which the shop has captured nothing, a part, or all. */
function heldView(order: Order): FinalView {
  const { captures, releasedMinor } = order;
  if (captures.PROCESSING > 0n)
    return { ...authorizedView, tone: "wait", note: "The shop is charging the amount." };
  if (captures.DONE === 0n) return authorizedView;
  if (releasedMinor > 0n) return { ...paid, note: "The shop has charged a part, and released the rest." };
  if (heldMinor(order) === 0n) return { ...paid, note: "The shop has charged the amount." };
  return { ...authorizedView, note: "The shop has charged a part. The rest is still held." };
}

function finalCard(wallet: Wallet, order: Order, viewer: Viewer, { tone, title, note }: FinalView): string {
  const disputes = wallet.projection.disputesOfOrder(order.providerOrderId).toReversed();
  return `<section class="card">${stateIcon(tone)}
<h1>${title}</h1>
${amountOf(order)}
<p class="note">${note}</p>
${viewer.triedTwice ? paidOnceNote(wallet, order) : ""}
${details(order)}
${backLink(order)}</section>
${disputes.map((dispute) => disputeCard(dispute, viewer)).join("\n")}
`;
}

/** A note that the order was paid only once. It counts the payments in the journal. */
function paidOnceNote({ projection }: Wallet, { reference, state }: Order): string {
  if (state !== "PAID") return "";
  const { length } = projection
    .movements()
    .filter((each) => each.kind === "payment" && each.reference === reference);
  return `<p class="note">A second payment was tried, and rejected: the journal has ${length} of this order. The gateway gets two callbacks.</p>`;
}

function disputeCard(dispute: Dispute, { isDeveloper }: Viewer): string {
  const { amount, reasonMessage, disputeType, state, takenAmount } = dispute;
  const rows = [
    ["Disputed", formatAmount(amount)],
    ["Reason", reasonMessage],
    ["Kind", disputeType],
    ["State", disputeTexts[state]],
    ["Refunded", takenAmount ? formatAmount(takenAmount) : ""],
  ];
  return `<h2>Dispute</h2>
<section class="card">${definitionList(rows)}
${isDeveloper ? disputeEventForm(dispute) : ""}</section>`;
}

function amountOf({ amount, paidAmount }: Order): string {
  const text = formatAmount(paidAmount ?? amount);
  const size = text.length > 20 ? " longest" : text.length > 12 ? " long" : "";
  return `<p class="amount${size}">${escapeHtml(text)}</p>`;
}

function details(order: Order): string {
  const { amount, paidAmount, capture, captures, refunds, releasedMinor } = order;
  const { currency } = paidAmount ?? amount;
  const sum = (minor: bigint): string =>
    minor === 0n ? "" : formatAmount({ currency, value: String(minor) });
  return definitionList([
    ["To", order.merchantName],
    ...terms(order),
    ["Still held", capture === "MANUAL" ? sum(heldMinor(order)) : ""],
    ["Charged", sum(captures.DONE)],
    ["Charge in progress", sum(captures.PROCESSING)],
    ["Charge failed", sum(captures.FAILED)],
    ["Released", sum(releasedMinor)],
    ["Refunded", sum(refunds.DONE)],
    ["Refund in progress", sum(refunds.PROCESSING)],
    ["Refund failed", sum(refunds.FAILED)],
    ["Cancel", order.cancel ? cancelTexts[order.cancel.state] : ""],
    ["Result", order.resultCode ?? ""],
  ]);
}

/** A cancel that is done shows in the state of its order. */
const cancelTexts: Readonly<Record<MoneyState, string>> = {
  PROCESSING: "in progress",
  DONE: "",
  FAILED: "failed",
};

function terms({ description, paymentMethodType }: Order): readonly (readonly string[])[] {
  return [
    ["For", description],
    ["With", paymentMethodType],
  ];
}

/** The payment id on the page, because support asks for it first. */
function paymentName({ paymentId }: Order): string {
  return `<p class="name">Payment ${escapeHtml(paymentId)}</p>`;
}

/** Links only to http and https addresses, because a `javascript:` URL would run in the browser (XSS). */
function backLink(order: Order): string {
  const { redirectUrl, merchantName } = order;
  // A page in a frame does not leave it: the checkout page around it returns the buyer to the shop.
  if (framedBy(order) !== undefined) return "";
  if (redirectUrl === undefined || !/^https?:$/.test(URL.parse(redirectUrl)?.protocol ?? "")) return "";
  return `<a class="button main" href="${escapeHtml(redirectUrl)}" rel="noreferrer">Back to ${escapeHtml(merchantName)}</a>`;
}

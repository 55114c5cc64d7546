import { formatAmount } from "./amount.ts";
import { isExpired, type Order } from "./order.ts";
import { escapeHtml, page, sign, type Mood } from "./page.ts";

/** What the buyer sees of an order, as it is now. */
export function orderPage(order: Order, nowMs: number): string {
  switch (order.state) {
    case "OPEN":
      return isExpired(order, nowMs) ? ended(order, expired) : openPage(order);
    case "PENDING":
      return pendingPage(order);
    case "AUTHORIZED":
      return ended(order, heldEnding(order));
    case "PAID":
      return ended(order, paid);
    case "DECLINED":
      return ended(order, order.resultCode === "USER_BALANCE_NOT_ENOUGH" ? tooPoor : declined);
    case "CLOSED":
      return ended(order, closed);
  }
}

function openPage(order: Order): string {
  return page(
    `Pay ${order.merchantName}`,
    `<h1>${escapeHtml(order.merchantName)}</h1>
${amountOf(order)}
${details(order)}
${order.capture === "MANUAL" ? '<p class="note">The amount is held, and taken when the shop says so.</p>' : ""}
<form method="post">
<button class="main" name="choice" value="approve">Approve</button>
<button class="wide" name="choice" value="decline">Decline</button>
<button name="choice" value="not-enough-money">Not enough money</button>
<button name="choice" value="pend">Pend</button>
</form>
${paymentName(order)}`,
  );
}

/** The buyer has approved. In a simulator, the same person may now decide for the wallet. */
function pendingPage(order: Order): string {
  return page(
    "Pending",
    `${sign("wait")}
<h1>The wallet is still deciding</h1>
${amountOf(order)}
<p class="note">The shop is told as soon as it is known. You may speak for the wallet:</p>
<form method="post">
<button class="main" name="choice" value="approve">Approve</button>
<button name="choice" value="not-enough-money">Not enough money</button>
<button name="choice" value="decline">Decline</button>
</form>
${paymentName(order)}`,
    10,
  );
}

interface Ending {
  readonly mood: Mood;
  readonly title: string;
  readonly note: string;
}

const paid: Ending = { mood: "good", title: "Paid", note: "The shop is being told." };
const held: Ending = {
  mood: "good",
  title: "Held",
  note: "The amount is held for the shop, and not taken yet.",
};
const declined: Ending = { mood: "bad", title: "Declined", note: "Nothing was taken." };
const tooPoor: Ending = { ...declined, title: "Not enough money" };
const closed: Ending = { ...declined, title: "Closed", note: "This order can no longer be paid." };
const expired: Ending = {
  mood: "wait",
  title: "Too late",
  note: "The time to pay has run out. Nothing was taken.",
};

/** The shop has captured nothing, a part, or all of the hold. */
function heldEnding({ paidAmount, amount, capturedMinor }: Order): Ending {
  const { currency, value } = paidAmount ?? amount;
  if (capturedMinor === 0n) return held;
  if (capturedMinor >= BigInt(value)) return { ...paid, note: "The shop has taken the amount." };
  const taken = formatAmount({ currency, value: String(capturedMinor) });
  return { ...held, note: `The amount is held for the shop, which has taken ${taken} of it.` };
}

function ended(order: Order, { mood, title, note }: Ending): string {
  return page(
    title,
    `${sign(mood)}
<h1>${title}</h1>
${amountOf(order)}
<p class="note">${note}</p>
${details(order)}
${wayBack(order)}
${paymentName(order)}`,
  );
}

function amountOf({ amount, paidAmount }: Order): string {
  const [currency = "", number = ""] = formatAmount(paidAmount ?? amount).split(" ");
  return `<p class="amount"><small>${escapeHtml(currency)}</small>${escapeHtml(number)}</p>`;
}

function details(order: Order): string {
  const rows = [
    ["To", order.merchantName],
    ["For", order.description],
    ["With", order.paymentMethodType],
  ].filter(([, value]) => value !== "");
  const cells = rows.map(
    ([name = "", value = ""]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl>${cells.join("")}</dl>`;
}

/** What support asks for first. */
function paymentName({ paymentId }: Order): string {
  return `<p class="name">Payment ${escapeHtml(paymentId)}</p>`;
}

/** Only http and https: a `javascript:` URL would run in the browser (XSS). */
function wayBack({ redirectUrl, merchantName }: Order): string {
  if (redirectUrl === undefined || !/^https?:$/.test(URL.parse(redirectUrl)?.protocol ?? ""))
    return '<p class="note">You can close this page.</p>';
  return `<a class="button main" href="${escapeHtml(redirectUrl)}" rel="noreferrer">Back to ${escapeHtml(merchantName)}</a>`;
}

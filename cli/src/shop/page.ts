import { Money } from "../../../clients/typescript/src/money.ts";
import { products, type Order, type Step } from "./order.ts";

/** The products, and the earlier orders. */
export function shopPage(orders: readonly Order[]): string {
  const productItems = Object.entries(products).map(
    ([id, { name, about, amount }]) => `<li class="product">
<h2>${name}</h2>
<p class="about">${about}</p>
<form method="post" action="/orders">
<p class="price">${formatAmount(amount)}</p>
<button name="product" value="${id}">Buy</button>
</form>
</li>`,
  );
  return frame(
    "Coffee Lab",
    `<h1>Good morning.</h1>
<p class="lede">A demo shop for trying the gateway. You pay with the sandbox’s wallet, and no real money moves.</p>
<ul class="shelf">${productItems.join("")}</ul>
${orders.length === 0 ? "" : `<h2 class="label">Orders</h2><ul class="orders">${orders.map(orderEntry).join("")}</ul>`}`,
  );
}

function orderEntry(order: Order): string {
  return `<li><a href="/orders/${encodeURIComponent(order.id)}"><span>${escapeHtml(order.name)}</span>
<span class="figure">${formatAmount(order.amount)}</span><span class="quiet">${describeStatus(order)}</span></a></li>`;
}

/** The page of an order: the order as the buyer sees it, and next to it the shop's own records. */
export function orderPage(order: Order, steps: readonly Step[]): string {
  const { heading, text } = orderTexts[order.status](order);
  return frame(
    heading,
    `<div class="order">
<section class="buyer ${order.status.toLowerCase()}">
<h1>${heading}</h1>
<p class="lede">${text}</p>
<dl>
<div><dt>${escapeHtml(order.name)}</dt><dd class="figure">${formatAmount(order.amount)}</dd></div>
${order.refundedMinor > 0n ? `<div><dt>Given back</dt><dd class="figure">−${formatAmount(refundedAmount(order))}</dd></div>` : ""}
</dl>
${order.status === "WAITING" && order.payPage ? `<p><a class="button" href="${escapeHtml(order.payPage)}">Go and pay</a></p>` : ""}
<p><a href="/">Back to the shop</a></p>
</section>
<section class="counter" aria-label="Behind the counter">
<h2 class="label">Behind the counter</h2>
<ol class="steps">${steps.map(stepEntry).join("")}</ol>
${counterForms(order)}
<p class="quiet small">Payment ${escapeHtml(order.paymentId ?? "not made yet")}</p>
</section>
</div>`,
    { live: steps.length },
  );
}

const orderTexts: Readonly<Record<Order["status"], (order: Order) => { heading: string; text: string }>> = {
  WAITING: ({ name }) => ({
    heading: "Waiting for your payment",
    text: `As soon as your payment is confirmed, ${escapeHtml(name)} is yours. This page updates itself.`,
  }),
  PAID: (order) =>
    order.refundedMinor === 0n
      ? { heading: "Thank you!", text: `${escapeHtml(order.name)}: paid, and on its way.` }
      : {
          heading: isFullyRefunded(order) ? "You have your money back" : "Thank you!",
          text: `We have refunded ${formatAmount(refundedAmount(order))}.`,
        },
  FAILED: () => ({ heading: "Not paid", text: "Nothing was charged. You may order again at any time." }),
};

function counterForms(order: Order): string {
  if (order.status === "WAITING")
    return `<form method="post" action="/orders/${encodeURIComponent(order.id)}/ask">
<button class="second">Ask the gateway for the status</button></form>`;
  if (order.status === "FAILED" || isFullyRefunded(order)) return "";
  const remaining = Money.from(order.amount).subtract(
    Money.ofMinor(order.amount.currency, order.refundedMinor),
  );
  return `<form class="refund" method="post" action="/orders/${encodeURIComponent(order.id)}/refund">
<label>Give back <span class="field">${order.amount.currency}
<input name="amount" value="${remaining.toDecimal()}" inputmode="decimal" size="8" required></span></label>
<button class="second">Refund</button></form>`;
}

function stepEntry({ at, mood, text }: Step): string {
  return `<li class="${mood}"><time datetime="${at}">${new Date(at).toTimeString().slice(0, 8)}</time>
<span>${escapeHtml(text)}</span></li>`;
}

/** A page for short messages, such as errors. */
export function notePage(heading: string, text: string): string {
  return frame(
    heading,
    `<h1>${escapeHtml(heading)}</h1><p class="lede">${escapeHtml(text)}</p><p><a href="/">Back to the shop</a></p>`,
  );
}

function frame(title: string, content: string, { live }: { readonly live?: number } = {}): string {
  // In a browser without script, the page of an order that can change reloads itself.
  const reload = live === undefined ? "" : '<noscript><meta http-equiv="refresh" content="3"></noscript>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} · Coffee Lab</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/script.js"></script>
${reload}
</head>
<body>
<header><a class="brand" href="/">${cupIcon}Coffee Lab</a><span class="badge">Demo shop, no real money</span></header>
<main${live === undefined ? "" : ` data-live="${live}"`}>
${content}
</main>
</body>
</html>
`;
}

const cupIcon =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" ' +
  'stroke-linecap="round" stroke-linejoin="round"><path d="M5 9h12v6a5 5 0 0 1-5 5h-2a5 5 0 0 1-5-5Zm12 1h1.5a2.5 2.5 0 0 1 0 5H17' +
  'M8.5 3.5v2M12.5 3.5v2"/></svg>';

function describeStatus(order: Order): string {
  if (order.status === "WAITING") return "waiting";
  if (order.status === "FAILED") return "not paid";
  return order.refundedMinor === 0n ? "paid" : isFullyRefunded(order) ? "refunded" : "paid, partly refunded";
}

function isFullyRefunded({ amount, refundedMinor }: Order): boolean {
  return refundedMinor >= BigInt(amount.value);
}

function refundedAmount({ amount, refundedMinor }: Order): Order["amount"] {
  return { currency: amount.currency, value: String(refundedMinor) };
}

function formatAmount(amount: Order["amount"]): string {
  return Money.from(amount).toString();
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

import { html, type Html } from "../core/html.ts";
import { isSettled } from "../payments/payment.ts";
import { actionOf } from "./actions.ts";
import { hasChoice } from "./choice.ts";
import { stateOf, statusOf, type Checkout, type CheckoutState } from "./checkout.ts";
import { icon, mark } from "./icons.ts";
import { shownAmount } from "./shown-amount.ts";
import { timeElement } from "./time-element.ts";
import { wordsOf } from "./words.ts";

/** The page on which a buyer pays. It is complete without the script, which only saves reloads. */
export function checkoutPage(checkout: Checkout): string {
  const { payment, merchantName, environment } = checkout;
  const state = stateOf(checkout);
  const merchant = html`<bdi>${merchantName || "the shop"}</bdi>`;
  const { heading, text } = wordsOf(state, payment, merchant);
  return pageOf({
    title: merchantName ? `${heading} · ${merchantName}` : heading,
    renewal: renewalOf(state, checkout),
    body: html`${environment === "sandbox" ? sandboxBanner : undefined}
      <main class="${state}" ${isWatched(state, checkout) ? shownMark(checkout) : undefined}>
        ${summary(state, checkout, merchant)}
        <section class="step">
          ${icon(state)}
          <h1 tabindex="-1">${heading}</h1>
          ${text && html`<p class="text">${text}</p>`} ${actionOf(state, checkout, merchant)}
        </section>
        ${facts(checkout)}
      </main>
      <p class="lost" role="status" hidden>No connection. We keep trying.</p>
      <p class="announcer" role="status"></p>`,
  });
}

/** Shown for a forged link as well as for one whose payment is gone. */
export function missingPage(): string {
  return pageOf({
    title: "No such payment",
    body: html`<main class="alone"><h1>There is no such payment.</h1></main>`,
  });
}

/** Shown when the payment cannot be read. It does not say that nothing was paid: the outcome is unknown. */
export function faultPage(): string {
  return pageOf({
    title: "One moment",
    renewal: reload,
    body: html`<main class="alone">
      <h1>One moment, please</h1>
      <p>
        We cannot show this payment right now. If you have paid, do not pay again: this page keeps trying by
        itself.
      </p>
    </main>`,
  });
}

/**
 * How the page updates. The script polls the payment, but not wallets that may answer again: for those the
 * browser reloads the page.
 */
function renewalOf(state: CheckoutState, checkout: Checkout): Html | undefined {
  if (isSettled(checkout.payment)) return undefined;
  if (state !== "choosing") return html`<noscript>${reload}</noscript>`;
  // No reload while there is a list: it would take the reader back to its top.
  return hasChoice(checkout) ? undefined : reload;
}

const sandboxBanner = html`<header class="sandbox">Sandbox: no real money moves</header>`;

/** Poll interval of a browser without the script, in seconds. */
const reload = html`<meta http-equiv="refresh" content="5" />`;

interface Page {
  readonly title: string;
  readonly renewal?: Html | undefined;
  readonly body: Html;
}

function pageOf({ title, renewal, body }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.markup)}" />
        <link rel="stylesheet" href="style.css" />
        <script type="module" src="script.js"></script>
        ${renewal}
      </head>
      <body>
        ${body}
        <footer>${mark} Tollgate</footer>
      </body>
    </html> `;
  return page.markup;
}

/** Whether the script polls for changes. */
function isWatched(state: CheckoutState, checkout: Checkout): boolean {
  return !isSettled(checkout.payment) && (state !== "choosing" || hasChoice(checkout));
}

/** The status shown, which the script compares with each poll's answer. */
function shownMark(checkout: Checkout): Html {
  const { status, sequence, ready } = statusOf(checkout);
  return html` data-shown="${status} ${sequence} ${String(ready)}"`;
}

function summary(state: CheckoutState, { payment }: Checkout, merchant: Html): Html {
  const amount = (state === "paid" ? payment.paidAmount : undefined) ?? payment.amount;
  return html`<section class="summary" aria-label="What is paid">
    <p class="merchant">${merchant}</p>
    ${amount && shownAmount(amount)}
    ${payment.orderDescription && html`<p class="order"><bdi>${payment.orderDescription}</bdi></p>`}
  </section>`;
}

/** For questions about this payment later. */
function facts({ payment, now }: Checkout): Html {
  return html`<dl class="facts">
    ${payment.paidAt && fact("Paid", timeElement(payment.paidAt, now))}
    ${fact("Reference", html`<span class="reference">${payment.paymentId}</span>`)}
  </dl>`;
}

function fact(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

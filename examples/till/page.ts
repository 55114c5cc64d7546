import { Money } from "../../clients/typescript/src/generated/package.ts";
import type { Shop } from "./requests.ts";
import { isOpen, type Sale, type SaleState } from "./sale.ts";
import { formatAmount } from "./view.ts";

interface TillPage {
  readonly shop: Shop;
  readonly currency: string;
  /** Whether there is a sandbox provider to show next to the point of sale. */
  readonly hasProvider: boolean;
}

/** The cashier's page. Its script fills in the data of the process. */
export function tillPage({ shop, currency, hasProvider }: TillPage): string {
  const keys = ["7", "8", "9", "4", "5", "6", "1", "2", "3", "00", "0"];
  const sideLink = hasProvider ? '<a class="tool" href="/side" target="_top">Side by side</a>' : "";
  return renderPage(
    "Till",
    `<header>
<p class="brand">${escapeHtml(shop.storeName)}<span class="quiet">${escapeHtml(shop.tillId)}</span></p>
<nav aria-label="Tools">${sideLink}
<button class="tool" id="sound" type="button" aria-pressed="true">Sound on</button>
<button class="tool" id="toggle-calls" type="button" aria-expanded="false" aria-controls="calls">Requests</button></nav>
</header>
<main class="till" data-currency="${currency}" data-digits="${digitsOf(currency)}">
<section class="screen" id="screen" data-state="idle" aria-label="State">
<div role="status" aria-live="assertive"><h1 id="title">Ready</h1><p class="sum" id="sum"></p><p class="text" id="text"></p></div>
<img class="code" id="picture" alt="Code for the buyer to scan" hidden>
<p class="until" id="until" hidden></p>
<div class="acts">
<button id="check" type="button" hidden>Check again</button>
<button id="cancel" type="button" hidden>Cancel</button>
<button id="next" type="button" hidden>Next buyer</button>
</div>
<p class="receipt" id="receipt" hidden></p>
</section>
<section class="desk" aria-label="New sale">
<p class="problem" id="problem" role="alert" hidden></p>
<form id="scan" autocomplete="off">
<label for="scanned">Scan the buyer’s code, or type an amount</label>
<input id="scanned" name="scanned" inputmode="none" autofocus spellcheck="false" maxlength="40">
</form>
<div class="keypad" role="group" aria-label="Amount">
${keys.map((key) => `<button type="button" data-key="${key}">${key}</button>`).join("\n")}
<button type="button" data-key="back" aria-label="Delete the last digit">⌫</button>
</div>
<div class="ways">
<button class="main" id="show-code" type="button">Show a code</button>
<a class="button" href="/stickers/table-1" target="_blank" rel="noopener">Sticker</a>
</div>
<p class="hint">Scan: the buyer’s code. Show: the buyer scans ours. Sticker: the buyer types the amount.</p>
</section>
<section class="shift" aria-label="Shift">
<h2>This shift</h2>
<table id="totals"><thead><tr><th scope="col">Sales</th><th scope="col">Paid</th><th scope="col">Refunded</th><th scope="col">Net</th></tr></thead><tbody></tbody></table>
<ul class="sales" id="sales"></ul>
<button class="second" id="close-shift" type="button">Close the shift</button>
</section>
<aside class="calls" id="calls" aria-label="Requests" hidden>
<h2>API requests, newest first</h2>
<p class="quiet">The API requests of each action, with their responses. Keys and signatures stay in the process.</p>
<ol id="call-list"></ol>
</aside>
</main>`,
    { script: "/script.js", style: "/till.css" },
  );
}

/** A page with the point of sale and the provider on one screen, for one person who acts as cashier and buyer. */
export function sideBySidePage(walletUrl: string): string {
  return renderPage(
    "Till and wallet",
    `<main class="side"><h1 class="unseen">Point of sale and provider, side by side</h1>
<iframe class="side-till" src="/" title="Till"></iframe>
<iframe class="side-wallet" src="${escapeHtml(walletUrl)}/" title="Wallet"></iframe></main>`,
  );
}

/** The page with a sticker's QR code, to print and put on a table. */
export function stickerPage(shop: Shop, place: string, address: string): string {
  return renderPage(
    `Sticker for ${place}`,
    `<main class="sticker">
<h1>${escapeHtml(shop.merchantName)}</h1>
<p class="place">${escapeHtml(placeName(place))}</p>
<img class="code" src="/stickers/${place}.svg" alt="Code that leads to ${escapeHtml(address)}">
<p>Scan to pay</p>
<p class="quiet">${escapeHtml(address)}</p>
<p class="unprinted"><button class="main" id="print" type="button">Print</button> <a class="button" href="/t/${place}">Open it as a buyer</a></p>
</main>`,
    { script: "/print.js" },
  );
}

interface BuyerPage {
  readonly shop: Shop;
  readonly currency: string;
  readonly place: string;
  readonly visit: string;
  readonly problem?: string;
}

/**
 * The page that a sticker opens: the buyer types an amount, and is redirected to the provider. It works without a
 * script.
 */
export function buyerPage({ shop, currency, place, visit, problem }: BuyerPage): string {
  const problemHtml =
    problem === undefined ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`;
  return renderPage(
    `Pay ${shop.merchantName}`,
    `<main class="buyer">
<h1>${escapeHtml(shop.merchantName)}</h1>
<p class="place">${escapeHtml(placeName(place))}</p>
${problemHtml}
<form method="post" action="/t/${place}">
<input type="hidden" name="visit" value="${escapeHtml(visit)}">
<label for="amount">How much do you pay?</label>
<p class="amount-field"><span>${currency}</span><input id="amount" name="amount" inputmode="decimal" autocomplete="off" placeholder="${Money.ofMinor(currency, 0n).toDecimal()}" required autofocus></p>
<button class="main">Pay</button>
</form>
</main>`,
  );
}

/** The page to which the buyer returns from the provider. The browser reloads it until the payment is final. */
export function thanksPage(shop: Shop, sale: Sale): string {
  const { heading, text } = thanksTexts[sale.state];
  return renderPage(
    heading,
    `<main class="buyer" data-state="${sale.state}">
<h1>${heading}</h1>
<p class="sum">${escapeHtml(formatAmount(sale.amount))}</p>
<p class="text">${text}</p>
<p class="quiet">${escapeHtml(shop.merchantName)}, ${escapeHtml(placeName(sale.place ?? ""))}</p>
</main>`,
    { reload: isOpen(sale) },
  );
}

const pendingText = {
  heading: "One moment",
  text: "Waiting for the payment result. This page updates automatically.",
};
const thanksTexts: Readonly<Record<SaleState, { readonly heading: string; readonly text: string }>> = {
  waiting: pendingText,
  shows: pendingText,
  asks: pendingText,
  checking: pendingText,
  cancelling: pendingText,
  unknown: {
    heading: "Ask at the counter",
    text: "It is not known yet whether it is paid. Do not pay again.",
  },
  paid: { heading: "Thank you!", text: "It is paid." },
  declined: { heading: "Not paid", text: "You were not charged. Scan the sticker to try again." },
  cancelled: {
    heading: "Cancelled",
    text: "You were not charged, or the money was returned. Scan the sticker to try again.",
  },
};

/** A page with a short message, such as an error. */
export function messagePage(heading: string, text: string): string {
  return renderPage(
    heading,
    `<main class="buyer"><h1>${escapeHtml(heading)}</h1><p class="text">${escapeHtml(text)}</p></main>`,
  );
}

interface PageOptions {
  readonly script?: string;
  readonly style?: string;
  readonly reload?: boolean;
}

function renderPage(
  title: string,
  content: string,
  { script, style, reload = false }: PageOptions = {},
): string {
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
${style === undefined ? "" : `<link rel="stylesheet" href="${style}">`}
${script === undefined ? "" : `<script type="module" src="${script}"></script>`}
${reload ? '<meta http-equiv="refresh" content="2">' : ""}
</head>
<body>
${content}
</body>
</html>
`;
}

/** Shows `table-7` as "Table 7". */
function placeName(place: string): string {
  const words = place.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function digitsOf(currency: string): number {
  return (Money.ofMinor(currency, 0n).toDecimal().split(".")[1] ?? "").length;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

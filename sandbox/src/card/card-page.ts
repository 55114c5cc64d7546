import { formatAmount } from "../wallet/amount.ts";
import { pageVersion } from "../pages/status-events.ts";
import { heldMinor, isExpired, type Order } from "../wallet/order.ts";
import { escapeHtml, stateIcon, type Tone } from "../pages/page.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { cardPage, type CardFrame } from "./card-frame.ts";
import {
  exampleExpiry,
  groupDigits,
  testCards,
  type CardField,
  type CardInput,
  type TestCard,
} from "../wallet/test-cards.ts";
import { returnUrl } from "./return-url.ts";

/** How long the gateway can capture an authorization hold of a card: seven days. */
const holdLifetimeMs = 7 * 24 * 3600 * 1000;

const exampleCode = "123";

/** The page of an order that is paid by card, in its current state. */
export function cardOrderPage(wallet: Wallet, order: Order, read?: CardInput): string {
  const isOpen = order.state === "OPEN" && !isExpired(order, wallet.now());
  return isOpen ? cardFormPage(order, wallet.now(), read) : finalPage(wallet, order);
}

function cardFormPage(order: Order, nowMs: number, { card, problems }: CardInput = emptyInput): string {
  const problemCount = Object.keys(problems).length;
  const title = problemCount > 0 ? "Not taken" : `Pay ${order.merchantName} by card`;
  const verb = order.capture === "MANUAL" ? "Hold" : "Pay";
  return cardPage(
    title,
    `<div class="sides">
${summary(order, nowMs)}
<div class="side">
<section class="card">
<form method="post" action="/pay/${order.token}" aria-label="Card" novalidate data-expiry="${exampleExpiry(nowMs)}" data-code="${exampleCode}">
${fields(nowMs, card, problems)}
<button class="main">${verb} ${escapeHtml(formatAmount(order.amount))}</button>
</form>
<p class="note warning">This is a sandbox: never type a real card.</p>
</section>
${testCardList(order, problems.number !== undefined)}
${cancelLink(order)}
</div>
</div>`,
  );
}

const emptyInput: CardInput = { card: undefined, problems: {} };

function summary(order: Order, nowMs: number): string {
  const { merchantName, amount, description, paymentId } = order;
  const sum = formatAmount(amount);
  return `<section class="card summary">
<h1><bdi>${escapeHtml(merchantName)}</bdi></h1>
<p class="${sum.length > 12 ? "amount long" : "amount"}">${escapeHtml(sum)}</p>
<p class="note terms">${chargeTerms(order, nowMs)}</p>
<dl><div><dt>For</dt><dd><bdi>${escapeHtml(description)}</bdi></dd></div></dl>
<p class="name">Payment ${escapeHtml(paymentId)}</p>
</section>`;
}

function chargeTerms({ amount, capture }: Order, nowMs: number): string {
  const sum = `<strong>${escapeHtml(formatAmount(amount))}</strong>`;
  if (capture === "AUTOMATIC") return `${sum} is charged now.`;
  const until = new Date(nowMs + holdLifetimeMs);
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(until);
  const time = `<time datetime="${until.toISOString()}">${day}</time>`;
  return `${sum} is held now. The shop charges it later, up to this amount, until ${time}, or releases it.`;
}

interface Field {
  readonly name: CardField;
  readonly label: string;
  readonly autocomplete: string;
  readonly lengthMax: number;
  readonly value: string;
  readonly example: string;
}

/**
 * The fields of the card form. The form shows the input again only if it is a test card, and never its security code.
 */
function fields(nowMs: number, card: TestCard | undefined, problems: CardInput["problems"]): string {
  const expiry = exampleExpiry(nowMs);
  const isFilled = card !== undefined && Object.keys(problems).length === 0;
  const all: readonly Field[] = [
    {
      name: "number",
      label: "Card number",
      autocomplete: "cc-number",
      lengthMax: 23,
      value: card ? groupDigits(card.number) : "",
      example: "",
    },
    {
      name: "expiry",
      label: "Expires",
      autocomplete: "cc-exp",
      lengthMax: 9,
      value: isFilled ? expiry : "",
      example: "MM/YY",
    },
    {
      name: "code",
      label: "Security code",
      autocomplete: "cc-csc",
      lengthMax: 4,
      value: isFilled ? exampleCode : "",
      example: "",
    },
  ];
  const first = all.find(({ name }) => problems[name] !== undefined)?.name;
  const [number = "", ...others] = all.map((field) =>
    input(field, problems[field.name], field.name === first),
  );
  return `${number}\n<div class="pair">${others.join("\n")}</div>`;
}

function input(
  { name, label, autocomplete, lengthMax, value, example }: Field,
  problem: string | undefined,
  isFirst: boolean,
): string {
  const invalidAttributes =
    problem === undefined ? "" : ` aria-invalid="true" aria-describedby="${name}-problem"`;
  const hint = example === "" ? "" : ` placeholder="${example}"`;
  const problemText =
    problem === undefined ? "" : `\n<p class="problem" id="${name}-problem">${escapeHtml(problem)}</p>`;
  return `<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" dir="ltr" inputmode="numeric" autocomplete="${autocomplete}" maxlength="${lengthMax}" spellcheck="false" required
 value="${value}"${hint}${invalidAttributes}${isFirst ? " autofocus" : ""}>${problemText}</div>`;
}

/**
 * In a browser without script, the link of a test card loads the page with this card filled in. The link contains the
 * card's name instead of its number.
 */
function testCardList({ token }: Order, isOpen: boolean): string {
  const items = testCards.map(
    ({ name, number, label, outcome }) =>
      `<li><a class="entry" href="/pay/${token}?card=${name}" data-number="${groupDigits(number)}"><span>${label}</span>
<span class="digits" dir="ltr">${groupDigits(number)}</span><small>${describeOutcome(outcome)}</small></a></li>`,
  );
  return `<details class="card tests-fold"${isOpen ? " open" : ""}><summary>Test cards</summary>
<p class="note">Press a card to fill it in. Any future date and any code are accepted.</p>
<ul class="list">${items.join("")}</ul></details>`;
}

function describeOutcome(outcome: TestCard["outcome"]): string {
  switch (outcome.kind) {
    case "approved":
      return "the bank approves";
    case "declined":
      return `<code>${outcome.resultCode}</code>`;
    case "challenge":
      return "you approve, decline, or do nothing";
    case "slow":
      return `yes, after ${outcome.seconds} s`;
    case "lost":
      return "approved, but the response is lost, so that the gateway must send an inquiry";
  }
}

interface FinalView {
  readonly tone: Tone;
  readonly title: string;
  readonly note: string;
}

const declineTexts: ReadonlyMap<string, string> = new Map([
  ["USER_BALANCE_NOT_ENOUGH", "There is not enough money on the card."],
  ["INVALID_EXPIRATION_DATE", "The card has expired."],
  ["INVALID_CARD_NUMBER", "There is no card with this number."],
  ["SELECTED_CARD_BRAND_NOT_AVAILABLE", "The shop does not accept cards of this brand."],
  ["AUTHENTICATION_REQUIRED", "You did not answer your bank in time."],
]);

function finalViewOf(order: Order): FinalView {
  const { state, resultCode = "" } = order;
  switch (state) {
    case "PENDING":
      return {
        tone: "wait",
        title: "Your bank is still deciding",
        note: "The shop is notified as soon as the bank decides.",
      };
    case "AUTHORIZED":
      return heldMinor(order) === 0n && order.captures.PROCESSING === 0n
        ? { tone: "good", title: "Paid", note: "The shop has charged its amount." }
        : { tone: "good", title: "Held", note: "The amount is held for the shop, and not charged yet." };
    case "PAID":
      return { tone: "good", title: "Paid", note: "The payment is complete." };
    case "DECLINED":
      return {
        tone: "bad",
        title: "Not paid",
        // The decline reasons that the page shows do not include suspected fraud, so that a suspect learns only that
        // the bank declined.
        note: `${declineTexts.get(resultCode) ?? "Your bank declined."} Nothing was charged.`,
      };
    case "CLOSED":
      return order.releasedMinor > 0n
        ? { tone: "wait", title: "Released", note: "The hold was released. Nothing was charged." }
        : { tone: "bad", title: "Closed", note: "This order can no longer be paid. Nothing was charged." };
    case "LAPSED":
      return order.captures.DONE > 0n
        ? { tone: "good", title: "Paid", note: "The shop has charged a part. The hold has expired." }
        : { tone: "wait", title: "Released", note: "The hold has expired. Nothing was charged." };
    case "OPEN":
      return { tone: "wait", title: "Too late", note: "The time to pay has expired. Nothing was charged." };
  }
}

function finalPage(wallet: Wallet, order: Order): string {
  const { tone, title, note } = finalViewOf(order);
  const poll = { href: `/news?order=${order.token}`, version: pageVersion(wallet, order) };
  const frame: CardFrame = order.state === "PENDING" ? { refreshSeconds: 3, poll } : {};
  const sum = formatAmount(order.paidAmount ?? order.amount);
  return cardPage(
    title,
    `<section class="card end">${stateIcon(tone)}
<h1>${title}</h1>
<p class="${sum.length > 12 ? "amount long" : "amount"}">${escapeHtml(sum)}</p>
<p class="note">${note}</p>
<dl><div><dt>To</dt><dd><bdi>${escapeHtml(order.merchantName)}</bdi></dd></div>
<div><dt>For</dt><dd><bdi>${escapeHtml(order.description)}</bdi></dd></div>
${order.resultCode === undefined ? "" : `<div><dt>Result</dt><dd><code>${escapeHtml(order.resultCode)}</code></dd></div>`}</dl>
${backButton(order)}</section>
<p class="name">Payment ${escapeHtml(order.paymentId)}</p>`,
    frame,
  );
}

/** The page of the buyer's bank, which asks for approval before it pays. */
export function bankPage({ token, merchantName, amount, capture }: Order): string {
  const sum = formatAmount(amount);
  return cardPage(
    "Your bank asks",
    `<section class="card end">
<h1>Your bank asks</h1>
<p class="${sum.length > 12 ? "amount long" : "amount"}">${escapeHtml(sum)}</p>
<p class="note">Do you want this ${capture === "MANUAL" ? "held" : "paid"} for <bdi>${escapeHtml(merchantName)}</bdi>? A real bank asks
on a page or in an app of its own.</p>
<form method="post" action="/pay/${token}/bank">
<button class="main" name="choice" value="approve">Approve</button>
<button name="choice" value="decline">Decline</button>
<button name="choice" value="say-nothing">Do nothing until the time expires</button>
</form></section>`,
  );
}

/** The page at the root, for visitors without an order. */
export function homePage(): string {
  const rows = testCards.map(
    ({ number, label, outcome }) =>
      `<li><span class="entry"><span>${label}</span><span class="digits" dir="ltr">${groupDigits(number)}</span><small>${describeOutcome(outcome)}</small></span></li>`,
  );
  return cardPage(
    "Cards",
    `<section class="card"><h1>Buyers type their card here</h1>
<p class="note">The page opens automatically when an order is paid by <code>CARD</code>. In production this is the acquirer’s own page: no card
number ever reaches the shop or the gateway.</p></section>
<h2>Test cards</h2>
<ul class="list">${rows.join("")}</ul>`,
  );
}

function backButton(order: Order): string {
  const address = returnUrl(order);
  if (address === undefined) return "";
  return `<a class="button main" href="${escapeHtml(address)}" rel="noreferrer">Back to <bdi>${escapeHtml(order.merchantName)}</bdi></a>`;
}

function cancelLink(order: Order): string {
  const address = returnUrl(order);
  if (address === undefined) return "";
  return `<p class="note out"><a href="${escapeHtml(address)}" rel="noreferrer">Back to <bdi>${escapeHtml(order.merchantName)}</bdi> without paying</a></p>`;
}

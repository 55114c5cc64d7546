import { html, type Html } from "../formats/html.ts";
import { isSettled } from "../payments/payment.ts";
import { actionOf } from "./actions.ts";
import { hasChoice } from "./choice.ts";
import { stateOf, statusOf, type Checkout, type CheckoutState } from "./checkout.ts";
import { facts } from "./facts.ts";
import { icon, mark } from "./icons.ts";
import { languages, type Language } from "./language.ts";
import { merchantIn } from "./names.ts";
import { summary } from "./summary.ts";
import { wordsOf } from "./state-texts.ts";

/** The page on which a buyer pays. The page works without the script, which only saves reloads. */
export function checkoutPage(checkout: Checkout): string {
  const { merchantName, environment, language } = checkout;
  const state = stateOf(checkout);
  const { heading, text } = wordsOf(state, checkout);
  const merchant = merchantIn(checkout);
  return pageOf({
    language,
    colour: checkout.brand.colour,
    title: merchantName ? `${heading} · ${merchantName}` : heading,
    renewal: renewalOf(state, checkout),
    body: html`${
        environment === "sandbox"
          ? html`<header class="sandbox">${language.texts.sandbox}</header>`
          : undefined
      }
      <main class="${state}" ${isWatched(state, checkout) ? shownMark(checkout) : undefined}>
        ${summary(state, checkout, merchant)}
        <section class="step">
          ${icon(state)}
          <h1 tabindex="-1">${heading}</h1>
          ${text && html`<p class="text">${text}</p>`} ${actionOf(state, checkout)}
        </section>
        ${facts(checkout)}
      </main>
      <p class="lost" role="status" hidden>${language.texts.lost}</p>
      <p class="announcer" role="status"></p>`,
  });
}

/** The page for an unknown payment. A forged link and a deleted payment show the same page. */
export function missingPage(language: Language): string {
  const { missing, missingText } = language.texts;
  return pageOf({
    language,
    title: missing,
    body: html`<main class="alone">
      <h1>${missing}</h1>
      <p>${missingText}</p>
    </main>`,
  });
}

/**
 * The page that is shown if the payment cannot be read. It does not say that nothing was paid, because the outcome is
 * unknown.
 */
export function faultPage(language: Language): string {
  const { fault, faultText } = language.texts;
  return pageOf({
    language,
    title: fault,
    renewal: reload,
    body: html`<main class="alone">
      <h1>${fault}</h1>
      <p>${faultText}</p>
    </main>`,
  });
}

/**
 * How the page updates. The script polls the payment. If no provider is available, the script does not poll, and the
 * browser reloads the page until one recovers.
 */
function renewalOf(state: CheckoutState, checkout: Checkout): Html | undefined {
  if (isSettled(checkout.payment)) return undefined;
  if (state !== "choosing") return html`<noscript>${reload}</noscript>`;
  // A page with a list of payment methods is not reloaded, because a reload would scroll the buyer back to its top.
  return hasChoice(checkout) ? undefined : reload;
}

/** Poll interval of a browser without the script, in seconds. */
const reload = html`<meta http-equiv="refresh" content="5" />`;

interface Page {
  readonly language: Language;
  readonly colour?: string | undefined;
  readonly title: string;
  readonly renewal?: Html | undefined;
  readonly body: Html;
}

function pageOf({ language, colour, title, renewal, body }: Page): string {
  const page = html`<!doctype html>
    <html lang="${language.locale}" dir="${language.direction}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.markup)}" />
        <link rel="stylesheet" href="style.css" />
        ${colour && html`<link rel="stylesheet" href="colour-${colour.slice(1)}.css" />`}
        <script type="module" src="script.js"></script>
        ${renewal}
      </head>
      <body>
        ${body}
        <footer>
          <span class="made">${mark} Tollgate</span>
          ${languageSwitch(language)}
        </footer>
      </body>
    </html> `;
  return page.markup;
}

/**
 * The links to other languages. Each link is in its own language, for readers who do not understand the page's
 * language.
 */
function languageSwitch({ tag, texts }: Language): Html {
  const links = languages.map(([each, name]) =>
    each === tag
      ? html`<span lang="${each}" aria-current="true">${name}</span>`
      : html`<a href="?lang=${each}" lang="${each}" hreflang="${each}">${name}</a>`,
  );
  return html`<details class="languages">
    <summary>${texts.language}</summary>
    <nav aria-label="${texts.language}">${links}</nav>
  </details>`;
}

/** Whether the script polls for changes. */
function isWatched(state: CheckoutState, checkout: Checkout): boolean {
  return !isSettled(checkout.payment) && (state !== "choosing" || hasChoice(checkout));
}

/** The shown status, which the script compares with each poll's response. */
function shownMark(checkout: Checkout): Html {
  const { status, sequence, state } = statusOf(checkout);
  return html` data-shown="${status} ${sequence} ${state}"`;
}

import { html, type Html } from "../formats/html.ts";
import { isSettled } from "../payments/payment.ts";
import { renderActions } from "./actions.ts";
import { hasChoice } from "./method-choice.ts";
import { frameUrlOf, stateOf, statusOf, type Checkout, type CheckoutState } from "./checkout.ts";
import { paymentFacts } from "./payment-facts.ts";
import { stateIcon, tollgateLogo } from "./icons.ts";
import { languages, type Language } from "./language.ts";
import { merchantNameHtml } from "./display-names.ts";
import { orderSummary } from "./summary.ts";
import { stateTextsOf } from "./state-texts.ts";

/** The page on which a buyer pays. The page works without the script, which only saves reloads. */
export function checkoutPage(checkout: Checkout): string {
  const { merchantName, environment, language } = checkout;
  const state = stateOf(checkout);
  const { heading, text } = stateTextsOf(state, checkout);
  const merchant = merchantNameHtml(checkout);
  return renderDocument({
    language,
    colour: checkout.brand.colour,
    title: merchantName ? `${heading} · ${merchantName}` : heading,
    renewal: renewalFor(state, checkout),
    body: html`${
        environment === "sandbox"
          ? html`<header class="sandbox">${language.texts.sandbox}</header>`
          : undefined
      }
      <main class="${state}" ${isPolled(state, checkout) ? shownStatusAttribute(checkout) : undefined}>
        ${orderSummary(state, checkout, merchant)}
        <section class="step">
          ${stateIcon(state)}
          <h1 tabindex="-1">${heading}</h1>
          ${text && html`<p class="text">${text}</p>`} ${renderActions(state, checkout)}
        </section>
        ${paymentFacts(checkout)}
      </main>
      <p class="lost" role="status" hidden>${language.texts.connectionLost}</p>
      <p class="announcer" role="status"></p>`,
  });
}

/** The page for an unknown payment. A forged link and a deleted payment show the same page. */
export function missingPage(language: Language): string {
  const { missing, missingText } = language.texts;
  return renderDocument({
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
  return renderDocument({
    language,
    title: fault,
    renewal: reloadMeta,
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
function renewalFor(state: CheckoutState, checkout: Checkout): Html | undefined {
  // A reload would empty the fields of a frame.
  if (isSettled(checkout.payment) || frameUrlOf(checkout) !== undefined) return undefined;
  if (state !== "choosing") return html`<noscript>${reloadMeta}</noscript>`;
  // A page with a list of payment methods is not reloaded, because a reload would scroll the buyer back to its top.
  return hasChoice(checkout) ? undefined : reloadMeta;
}

/** Poll interval of a browser without the script, in seconds. */
const reloadMeta = html`<meta http-equiv="refresh" content="5" />`;

interface PageContent {
  readonly language: Language;
  readonly colour?: string | undefined;
  readonly title: string;
  readonly renewal?: Html | undefined;
  readonly body: Html;
}

function renderDocument({ language, colour, title, renewal, body }: PageContent): string {
  const document = html`<!doctype html>
    <html lang="${language.locale}" dir="${language.direction}">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(tollgateLogo.markup)}" />
        <link rel="stylesheet" href="style.css" />
        ${colour && html`<link rel="stylesheet" href="colour-${colour.slice(1)}.css" />`}
        <script type="module" src="script.js"></script>
        ${renewal}
      </head>
      <body>
        ${body}
        <footer>
          <span class="made">${tollgateLogo} Tollgate</span>
          ${languageSwitch(language)}
        </footer>
      </body>
    </html> `;
  return document.markup;
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
function isPolled(state: CheckoutState, checkout: Checkout): boolean {
  return !isSettled(checkout.payment) && (state !== "choosing" || hasChoice(checkout));
}

/** The shown status, which the script compares with each poll's response. */
function shownStatusAttribute(checkout: Checkout): Html {
  const { status, sequence, state, action } = statusOf(checkout);
  return html` data-shown="${status} ${sequence} ${state} ${action}"`;
}

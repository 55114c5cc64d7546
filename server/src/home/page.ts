import { mark } from "../checkout/icons.ts";
import { html, type Html } from "../formats/html.ts";

/** The facts about the gateway that the page at `/` shows. */
export interface Home {
  readonly environment: "sandbox" | "live";
  /** The gateway's public address, without a slash at the end. */
  readonly publicUrl: string;
  /** Addresses of pages next to the gateway, in a sandbox that has these pages. */
  readonly provider: string | undefined;
  readonly shop: string | undefined;
  readonly till: string | undefined;
  readonly portal: string | undefined;
  readonly style: string;
}

/** The page at `/`, for people who open the API's address in a browser. */
export function homePage(home: Home): string {
  return home.environment === "sandbox" ? sandboxHome(home) : liveHome(home);
}

/** The page for browsers at an unknown address. The page does not repeat the address, which may contain anything. */
export function notFoundPage(home: Home): string {
  return pageOf(
    home,
    "Nothing here",
    html`<h1>There is nothing here.</h1>
      <p class="lede">
        This is a payment gateway: programs send it requests, and buyers open a link of their shop. If you
        opened such a link, it is incomplete. Go back to the shop and start again.
      </p>
      <ul class="ways">
        <li><a href="${home.publicUrl}/">About this gateway</a></li>
        <li><a href="${home.publicUrl}/docs">API reference</a></li>
      </ul>`,
  );
}

function liveHome(home: Home): string {
  return pageOf(
    home,
    "Payment gateway",
    html`<h1>This is a payment gateway.</h1>
      <p class="lede">
        Programs send it signed requests. The <a href="${home.publicUrl}/docs">reference</a> describes them.
      </p>`,
  );
}

function sandboxHome(home: Home): string {
  return pageOf(
    home,
    "Sandbox",
    html`<h1>This is a payment gateway, and it is running.</h1>
      <p class="lede">
        Merchants’ systems send it signed JSON, buyers pay on its pages, and it sends the outcome to the
        merchant by webhook. This is its sandbox: no real money moves.
      </p>
      <ul class="cards">
        ${cardsOf(home).map(
          ({ href, name, does }) =>
            html`<li>
              <a href="${href}"><strong>${name}</strong><span>${does}</span></a>
            </li>`,
        )}
      </ul>
      <h2>First commands</h2>
      <ol class="steps">
        ${steps.map(
          ({ command, does }) =>
            html`<li>
              <p>${does}</p>
              <pre><code>${command}</code></pre>
            </li>`,
        )}
      </ol>
      <p class="note">
        They use the gateway that <code>tollgate dev</code> runs in the same folder. For another one, set
        <code>TOLLGATE_BASE_URL</code>, <code>TOLLGATE_CLIENT_ID</code>,
        <code>TOLLGATE_PRIVATE_KEY_FILE</code> and <code>TOLLGATE_GATEWAY_PUBLIC_KEY_FILE</code>.
      </p>`,
  );
}

interface Card {
  readonly href: string;
  readonly name: string;
  readonly does: string;
}

function cardsOf({ publicUrl, provider, shop, till, portal }: Home): readonly Card[] {
  return [
    ...(portal === undefined
      ? []
      : [
          {
            href: portal,
            name: "Portal",
            does: "Recent API requests, webhooks, keys, and an API explorer.",
          },
        ]),
    ...(shop === undefined
      ? []
      : [{ href: shop, name: "Demo shop", does: "Buy a coffee, see the receipt, and get a refund." }]),
    ...(till === undefined
      ? []
      : [{ href: till, name: "Till", does: "Sell in a store: scan a code, show one, or print a sticker." }]),
    ...(provider === undefined
      ? []
      : [
          {
            href: provider,
            name: "Provider",
            does: "The buyer’s side: open orders, codes for the point of sale, history.",
          },
        ]),
    { href: `${publicUrl}/docs`, name: "Reference", does: "Every operation, with samples that run." },
    { href: `${publicUrl}/openapi.json`, name: "OpenAPI", does: "The same, for programs." },
  ];
}

/** The tour: pay, receive a webhook, refund, and advance the clock. */
const steps = [
  { does: "Create a payment. It prints the page on which the buyer pays.", command: "npx --no tollgate pay" },
  { does: "Receive the merchant's webhooks as they are sent.", command: "npx --no tollgate listen" },
  { does: "Refund the payment, or a part of it.", command: "npx --no tollgate refund PAYMENT_ID 2.50" },
  {
    does: "Advance the test clock by an hour, and see what became due.",
    command: "npx --no tollgate clock +1h",
  },
] as const;

function pageOf({ environment, publicUrl, style }: Home, title: string, content: Html): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Tollgate</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.markup)}" />
        ${styleElement(style)}
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="${publicUrl}/">${mark}<span>Tollgate</span></a>
          ${environment === "sandbox" ? html`<span class="badge">sandbox</span>` : undefined}
        </header>
        <main>${content}</main>
      </body>
    </html> `;
  return page.markup;
}

/**
 * The style element. It has no white space around the style, because the content security policy allows exactly this
 * text, by its hash.
 */
function styleElement(style: string): Html {
  return { markup: `<style>${style}</style>` };
}

import { tollgateLogo } from "../checkout/icons.ts";
import { html, type Html } from "../formats/html.ts";

/** The facts about the gateway that the page at `/` shows. */
export interface HomePageSettings {
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
export function renderHomePage(home: HomePageSettings): string {
  return home.environment === "sandbox" ? renderSandboxHome(home) : renderLiveHome(home);
}

/** The page for browsers at an unknown address. The page does not repeat the address, which may contain anything. */
export function renderNotFoundPage(home: HomePageSettings): string {
  return renderPage(
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

function renderLiveHome(home: HomePageSettings): string {
  return renderPage(
    home,
    "Payment gateway",
    html`<h1>This is a payment gateway.</h1>
      <p class="lede">
        Programs send it signed requests. The <a href="${home.publicUrl}/docs">reference</a> describes them.
      </p>`,
  );
}

function renderSandboxHome(home: HomePageSettings): string {
  return renderPage(
    home,
    "Sandbox",
    html`<h1>This is a payment gateway, and it is running.</h1>
      <p class="lede">
        Merchants’ systems send it signed JSON, buyers pay on its pages, and it sends the outcome to the
        merchant by webhook. This is its sandbox: no real money moves.
      </p>
      <ul class="cards">
        ${listCards(home).map(
          ({ href, name, description }) =>
            html`<li>
              <a href="${href}"><strong>${name}</strong><span>${description}</span></a>
            </li>`,
        )}
      </ul>
      <h2>First commands</h2>
      <ol class="steps">
        ${steps.map(
          ({ command, description }) =>
            html`<li>
              <p>${description}</p>
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
  readonly description: string;
}

function listCards({ publicUrl, provider, shop, till, portal }: HomePageSettings): readonly Card[] {
  return [
    ...(portal === undefined
      ? []
      : [
          {
            href: portal,
            name: "Portal",
            description: "Recent API requests, webhooks, keys, and an API explorer.",
          },
        ]),
    ...(shop === undefined
      ? []
      : [{ href: shop, name: "Demo shop", description: "Buy a coffee, see the receipt, and get a refund." }]),
    ...(till === undefined
      ? []
      : [
          {
            href: till,
            name: "Till",
            description: "Sell in a store: scan a code, show one, or print a sticker.",
          },
        ]),
    ...(provider === undefined
      ? []
      : [
          {
            href: provider,
            name: "Provider",
            description: "The buyer’s side: open orders, codes for the point of sale, history.",
          },
        ]),
    { href: `${publicUrl}/docs`, name: "Reference", description: "Every operation, with samples that run." },
    { href: `${publicUrl}/openapi.json`, name: "OpenAPI", description: "The same, for programs." },
  ];
}

/** The tour: pay, receive a webhook, refund, and advance the clock. */
const steps = [
  {
    description: "Create a payment. It prints the page on which the buyer pays.",
    command: "npx --no tollgate pay",
  },
  { description: "Receive the merchant's webhooks as they are sent.", command: "npx --no tollgate listen" },
  {
    description: "Refund the payment, or a part of it.",
    command: "npx --no tollgate refund PAYMENT_ID 2.50",
  },
  {
    description: "Advance the test clock by an hour, and see what became due.",
    command: "npx --no tollgate clock +1h",
  },
] as const;

function renderPage(
  { environment, publicUrl, style }: HomePageSettings,
  title: string,
  content: Html,
): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Tollgate</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(tollgateLogo.markup)}" />
        ${styleElement(style)}
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="${publicUrl}/">${tollgateLogo}<span>Tollgate</span></a>
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

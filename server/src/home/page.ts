import { mark } from "../checkout/icons.ts";
import { html, type Html } from "../core/html.ts";

/** What the page at `/` can say about the gateway that serves it. */
export interface Home {
  readonly environment: "sandbox" | "live";
  /** Our address as others see it, without a slash at the end. */
  readonly publicUrl: string;
  /** Pages beside the gateway, in a sandbox that has them. */
  readonly wallet: string | undefined;
  readonly shop: string | undefined;
  readonly till: string | undefined;
  readonly portal: string | undefined;
  readonly style: string;
}

/** The page at `/`, for people who open the address that programs call. */
export function homePage(home: Home): string {
  return home.environment === "sandbox" ? sandboxHome(home) : liveHome(home);
}

/** For browsers at an address that is nobody's. Says nothing of the address: it may hold anything. */
export function nowherePage(home: Home): string {
  return pageOf(
    home,
    "Nothing here",
    html`<h1>There is nothing here.</h1>
      <p class="lede">
        This is a payment gateway: programs call it, and buyers come by a link of their shop. If you came by
        such a link, it is not complete: go back to the shop and start again.
      </p>
      <ul class="ways">
        <li><a href="${home.publicUrl}/">What this is</a></li>
        <li><a href="${home.publicUrl}/docs">The reference of its operations</a></li>
      </ul>`,
  );
}

function liveHome(home: Home): string {
  return pageOf(
    home,
    "Payment gateway",
    html`<h1>This is a payment gateway.</h1>
      <p class="lede">
        Programs call it with signed requests. The <a href="${home.publicUrl}/docs">reference</a> says how.
      </p>`,
  );
}

function sandboxHome(home: Home): string {
  return pageOf(
    home,
    "Sandbox",
    html`<h1>This is a payment gateway, and it is up.</h1>
      <p class="lede">
        Merchants’ systems send it signed JSON, buyers pay on its pages, and it tells the merchant how it
        ended. This is its sandbox: all of it is real but the money.
      </p>
      <ul class="cards">
        ${cardsOf(home).map(
          ({ href, name, does }) =>
            html`<li>
              <a href="${href}"><strong>${name}</strong><span>${does}</span></a>
            </li>`,
        )}
      </ul>
      <h2>Four commands to begin with</h2>
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
        They find a gateway that <code>tollgate dev</code> runs in the same folder. For another one, set
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

function cardsOf({ publicUrl, wallet, shop, till, portal }: Home): readonly Card[] {
  return [
    ...(portal === undefined
      ? []
      : [
          {
            href: portal,
            name: "Portal",
            does: "Calls as they come, notifications, keys, and a page to try calls on.",
          },
        ]),
    ...(shop === undefined
      ? []
      : [{ href: shop, name: "Demo shop", does: "Buy a coffee, be thanked, and get the money back." }]),
    ...(till === undefined
      ? []
      : [{ href: till, name: "Till", does: "Sell in a store: scan a code, show one, or print a sticker." }]),
    ...(wallet === undefined
      ? []
      : [
          {
            href: wallet,
            name: "Wallet",
            does: "The buyer’s side: open orders, codes for the till, history.",
          },
        ]),
    { href: `${publicUrl}/docs`, name: "Reference", does: "Every operation, with samples that run." },
    { href: `${publicUrl}/openapi.json`, name: "OpenAPI", does: "The same, for programs." },
  ];
}

/** The tour: pay, be told, give back, and let time pass. */
const steps = [
  { does: "Take a payment. It prints the page on which the buyer pays.", command: "npx --no tollgate pay" },
  { does: "Hear what the merchant is told, as it happens.", command: "npx --no tollgate listen" },
  { does: "Give the money back, or a part of it.", command: "npx --no tollgate refund PAYMENT_ID 2.50" },
  {
    does: "Let an hour pass, and see what became due on the way.",
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

/** Without a blank around it: the policy allows exactly this text, by its hash. */
function styleElement(style: string): Html {
  return { markup: `<style>${style}</style>` };
}

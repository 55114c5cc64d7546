import { html, type Html } from "../formats/html.ts";
import type { NextAction } from "../providers/next-action.ts";
import type { Checkout } from "./checkout.ts";
import { deadlineNote } from "./deadline.ts";
import { methodName } from "./display-names.ts";
import { fillPlainText, fillTemplate } from "./language.ts";
import { qrCode } from "./qr-code.ts";
import { walletLink } from "./safe-link.ts";

/** The next action of the buyer, with the time until which it is possible. */
export function renderNextAction(checkout: Checkout): Html {
  const action = checkout.payment.order?.nextAction;
  return html`${deadlineNote("payBy", checkout, action?.type === "WAIT" ? action.expiresAt : undefined)}
  ${action?.type === "WAIT" ? undefined : (renderAction(action, checkout) ?? openAppNote(checkout))}`;
}

function renderAction(action: NextAction | undefined, checkout: Checkout): Html | undefined {
  switch (action?.type) {
    case "REDIRECT":
      return ways(payButton(action.url, checkout));
    case "APP":
      return appWays(action, checkout);
    case "QR_CODE":
      return codeWays(action, checkout);
    case "IN_PAGE":
      return providerFrame(action.frameUrl, checkout);
    case "WAIT":
    case undefined:
      return undefined;
  }
}

function ways(content: Html | undefined): Html | undefined {
  return content && html`<div class="ways">${content}</div>`;
}

function walletName(checkout: Checkout): Html {
  return html`<bdi>${methodName(checkout)}</bdi>`;
}

/** For an order without an address or a code that the page can show. */
function openAppNote(checkout: Checkout): Html {
  const text = fillTemplate(checkout.language.texts.openApp, { wallet: walletName(checkout) });
  return html`<div class="ways"><p class="text">${text}</p></div>`;
}

function payButton(address: string | undefined, checkout: Checkout): Html | undefined {
  const link = walletLink(address);
  const { texts } = checkout.language;
  const wallet = walletName(checkout);
  return (
    link &&
    html`<a class="button" href="${link.url}" rel="noreferrer"
      ><span class="anywhere">${fillTemplate(texts.payWith, { wallet })}</span
      ><span class="here">${fillTemplate(texts.payWithHere, { wallet })}</span></a
    >`
  );
}

/** On a phone the app comes first. On a larger screen, which may not have the app, the style sheet exchanges the two. */
function appWays(
  { appUrl, url }: NextAction & { readonly type: "APP" },
  checkout: Checkout,
): Html | undefined {
  const { openWallet, payOnWebsite } = checkout.language.texts;
  const [app, website] = [walletLink(appUrl), walletLink(url)];
  if (!app) return ways(payButton(url, checkout));
  const wallet = walletName(checkout);
  return html`<div class="ways ${website ? "or-website" : ""}">
    <a class="button app" href="${app.url}" rel="noreferrer">${fillTemplate(openWallet, { wallet })}</a>
    ${
      website &&
      html`<a class="button website" href="${website.url}" rel="noreferrer"
        >${fillTemplate(payOnWebsite, { wallet })}</a
      >`
    }
  </div>`;
}

/**
 * On a phone the button comes first and the QR code is collapsed, because a phone cannot scan its own screen. On a
 * larger screen the style sheet moves the QR code before the button.
 */
function codeWays(action: NextAction & { readonly type: "QR_CODE" }, checkout: Checkout): Html | undefined {
  const { texts } = checkout.language;
  const button = payButton(action.url, checkout);
  const figure = codeFigure(action, checkout);
  const qrToggle = html`<p class="or">${texts.or}</p>
    <input type="checkbox" id="other-device" class="fold" />
    <label for="other-device" class="unfold">${texts.otherDevice}</label>`;
  return ways(button || figure ? html`${button} ${button && figure && qrToggle} ${figure}` : undefined);
}

/** The script replaces a code at its expiry by a note, and then by the next code. */
function codeFigure(
  { code, expiresAt }: NextAction & { readonly type: "QR_CODE" },
  checkout: Checkout,
): Html | undefined {
  const { texts } = checkout.language;
  const picture = qrCode(code, texts.qrCodeLabel);
  if (!picture) return undefined;
  const caption = fillTemplate(texts.scan, { wallet: walletName(checkout) });
  if (!expiresAt)
    return html`<figure>
      ${picture}
      <figcaption>${caption}</figcaption>
    </figure>`;
  const leftMs = Math.max(0, expiresAt.getTime() - checkout.now.getTime());
  return html`<figure
    class="renewed ${leftMs === 0 ? "over" : ""}"
    data-seconds="${Math.ceil(leftMs / 1000)}"
  >
    ${leftMs === 0 ? html`<svg class="qr" viewBox="0 0 1 1" aria-hidden="true"></svg>` : picture}
    <p class="next" role="status">${texts.codeExpired}</p>
    <figcaption>${caption}</figcaption>
  </figure>`;
}

/**
 * The provider's own fields. The frame may not learn the checkout's address, which is a secret, and leaves the page only
 * after the buyer's click. A browser without script does not reload this page, because the buyer would have to type
 * again.
 */
function providerFrame(frameUrl: string, checkout: Checkout): Html {
  const { texts } = checkout.language;
  return html`<iframe
      class="fields"
      src="${frameUrl}"
      title="${fillPlainText(texts.frameLabel, { wallet: methodName(checkout) })}"
      referrerpolicy="no-referrer"
      allow="payment; publickey-credentials-get"
      sandbox="allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation"
    ></iframe>
    <noscript><a class="out" href="">${texts.showResult}</a></noscript>`;
}

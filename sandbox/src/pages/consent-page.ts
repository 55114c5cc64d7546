import { type Authorization, consentRedirectUrl } from "../wallet/authorization.ts";
import { authCodeOf, changeAuthorization } from "../wallet/change-authorization.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { isCrossSite } from "../developer.ts";
import {
  escapeHtml,
  page,
  pageHeadersTo,
  definitionList,
  sendMessagePage,
  stateIcon,
  type Frame,
} from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { parseTime, wholeSeconds } from "../wallet/wire-time.ts";

const choices = { agree: "agree", decline: "decline", cancel: "cancel" } as const;

/** The consent page. It works without script; the holder of the link may agree. */
export async function handleConsentPage(
  wallet: Wallet,
  { request, response, path }: Exchange,
): Promise<void> {
  const body = await readBody(request);
  const authorization = wallet.projection.authorizationByToken(path.slice("/authorize/".length));
  if (!authorization) return sendMessagePage(response, 404, "No such page", "There is no such request.");
  const headers = pageHeadersTo(authorization.redirectUrl);
  if (request.method === "GET" || request.method === "HEAD") {
    response.writeHead(200, headers);
    response.end(consentPage(wallet, authorization));
    return;
  }
  if (request.method !== "POST")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  if (isCrossSite(request))
    return sendMessagePage(
      response,
      403,
      "Request rejected",
      "Consent can only be given on the wallet’s own page.",
    );

  const choice = new URLSearchParams(body?.toString("utf8")).get("choice") ?? "";
  const event = Object.values(choices).find((each) => each === choice);
  if (!event) return sendMessagePage(response, 400, "Invalid choice", "This choice does not exist.");
  // If another request was faster or the consent expired, the change has no effect, and the next page shows the current
  // state.
  const changed = changeAuthorization(wallet, authorization, { event, by: "buyer" });
  await wallet.journal.onDisk();
  const isAgreed = event === "agree" && typeof changed !== "string";
  const location = isAgreed ? consentRedirectUrl(changed, authCodeOf(wallet, changed)) : path;
  response.writeHead(303, { ...headers, location });
  response.end();
}

const frame: Frame = { tab: "home", root: "../" };

const scopeTexts: Readonly<Record<string, string>> = {
  AGREEMENT_PAY: "Take payments without asking you each time",
  BASE_USER_INFO: "See the id of your account",
  USER_INFO: "See your name and contact details",
  USER_LOGIN_ID: "See the name that you sign in with",
};

function consentPage(wallet: Wallet, authorization: Authorization): string {
  const { merchantName, state, expiryTime } = authorization;
  const isOver = state === "OPEN" && wallet.now() > (parseTime(expiryTime) ?? 0);
  if (state !== "OPEN" || isOver) return endedPage(authorization, isOver);
  return page(
    `Consent for ${merchantName}`,
    `<section class="card"><h1>${escapeHtml(merchantName)} would like to</h1>
${scopeList(authorization)}
${definitionList([...requestRows(authorization), ["Answer until", `${wholeSeconds(expiryTime).slice(0, 16).replace("T", " ")} UTC`]])}
<p class="note">You can revoke this at any time, here or at the shop.</p>
<form method="post">
<button class="main" name="choice" value="agree">Agree</button>
<button name="choice" value="decline">Decline</button>
</form></section>`,
    frame,
  );
}

function endedPage(authorization: Authorization, isOver: boolean): string {
  const { merchantName, state } = authorization;
  const isLive = state === "AGREED" || state === "ACTIVE";
  const [title, note] = isOver
    ? ["Too late", "The time to agree has expired. No consent was given."]
    : endTexts[state as keyof typeof endTexts];
  const cancel = '<form method="post"><button name="choice" value="cancel">Revoke consent</button></form>';
  return page(
    title,
    `<section class="card">${stateIcon(isLive ? "good" : isOver ? "wait" : "bad")}
<h1>${title}</h1>
<p class="note">${note}</p>
${definitionList([["Shop", merchantName], ...requestRows(authorization)])}
${backLink(authorization)}
${isLive ? cancel : ""}</section>`,
    frame,
  );
}

const endTexts = {
  AGREED: ["Agreed", "Your consent is recorded."],
  ACTIVE: ["Agreed", "The shop may use your consent."],
  DECLINED: ["Declined", "No consent was given."],
  CANCELED: ["Revoked", "The shop may no longer use your consent."],
  REVOKED: ["Ended by the shop", "The shop may no longer use your consent."],
} as const;

function scopeList({ scopes }: Authorization): string {
  const items = scopes.map((scope) => `<li>${escapeHtml(scopeTexts[scope] ?? scope)}</li>`);
  return `<ul class="list wishes">${items.join("")}</ul>`;
}

/**
 * The contents of the shop's request. It contains neither an amount nor an interval, and the page must not suggest one.
 */
function requestRows({ scopes, merchantId, redirectUrl }: Authorization): readonly (readonly string[])[] {
  const paying = [
    ["Who pays", "You, from this wallet"],
    ["How much", "No limit"],
    ["How often", "Whenever the shop asks"],
  ];
  return [
    ...(scopes.includes("AGREEMENT_PAY") ? paying : []),
    ["Shop’s id", merchantId],
    ["Back to", URL.parse(redirectUrl)?.host ?? ""],
  ];
}

/** Links only to http and https addresses, because a `javascript:` URL would run in the browser (XSS). */
function backLink(authorization: Authorization): string {
  const { redirectUrl, merchantName } = authorization;
  if (!/^https?:$/.test(URL.parse(redirectUrl)?.protocol ?? ""))
    return '<p class="note">You can close this page.</p>';
  const href = escapeHtml(consentRedirectUrl(authorization));
  return `<a class="button main" href="${href}" rel="noreferrer">Back to ${escapeHtml(merchantName)}</a>`;
}

import { decodeQR } from "qr/decode.js";
import { orderEntry, section } from "./list-entries.ts";
import { readBody, sendJson, type Exchange } from "../exchange.ts";
import { isWaiting } from "../wallet/order.ts";
import { isPaymentCode } from "../wallet/payment-code.ts";
import { escapeHtml, page, pageHeaders, sendMessagePage, sendPage, type PageOptions } from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** The longer side of a picture, in pixels; the script scales larger ones down. */
const sideMax = 1_600;
const decodeLimitMs = 250;

/** The page on which the buyer scans a code of a shop: by camera, from a picture, or typed. */
export async function handleScanPage(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders }: PageOptions,
): Promise<void> {
  const body = await readBody(request);
  if (request.method === "GET" || request.method === "HEAD")
    return sendPage(response, 200, scanPage(wallet, listsOrders));
  if (request.method !== "POST")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET and POST.");
  const text = new URLSearchParams(body?.toString("utf8")).get("code") ?? "";
  const resolved = resolveCode(wallet, text);
  if ("problem" in resolved) return sendMessagePage(response, 404, "No order", resolved.problem);
  if (!resolved.href.startsWith("/")) return sendPage(response, 200, externalLinkPage(resolved.href));
  response.writeHead(303, { ...pageHeaders, location: resolved.href });
  response.end();
}

/**
 * Reads a picture: one byte of brightness per pixel, row by row, with `width` in the query. The server decodes it, so
 * that all browsers get the same result and the page loads no decoder.
 */
export async function handlePicture(wallet: Wallet, { request, response, query }: Exchange): Promise<void> {
  const body = await readBody(request, sideMax * sideMax);
  if (request.method !== "POST") return sendJson(response, 405, { problem: "Pictures are sent with POST." });
  const width = Number(query.get("width"));
  const height = (body?.length ?? 0) / width;
  const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= sideMax;
  if (!body || !isSide(width) || !isSide(height))
    return sendJson(response, 400, { problem: `width and height are at most ${sideMax} pixels.` });
  const text = decodePicture({ width, height, data: new Uint8Array(body) });
  if (text === undefined) return sendJson(response, 404, { problem: "There is no QR code in the picture." });
  const resolved = resolveCode(wallet, text);
  return sendJson(response, "problem" in resolved ? 404 : 200, { text, ...resolved });
}

function decodePicture(picture: { width: number; height: number; data: Uint8Array }): string | undefined {
  try {
    // `I420` is a format of which the decoder reads only the brightness.
    return decodeQR(picture, { format: "I420", timeLimit: decodeLimitMs });
  } catch {
    return undefined;
  }
}

/** Returns the address that a code opens, at this wallet or at a shop; or an error message. */
function resolveCode(
  { projection }: Wallet,
  code: string,
): { readonly href: string } | { readonly problem: string } {
  const text = code.trim();
  // The host in the code is ignored, and only the token identifies the order, because the wallet may have several
  // addresses.
  const [, kind, token = ""] = /\/(pay|authorize)\/([\w-]+)(?:\?code=\d+)?$/.exec(text) ?? [];
  if (kind === "pay" && projection.orderByToken(token)) return { href: `/pay/${token}` };
  if (kind === "authorize" && projection.authorizationByToken(token)) return { href: `/authorize/${token}` };
  if (isPaymentCode(text.replaceAll(/\s/g, "")))
    return { problem: "This is a code that a buyer shows. The shop scans it." };
  if (kind !== undefined) return { problem: "There is no such order at this wallet." };
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return { href: text };
  return { problem: "No order has this code." };
}

/** A sticker opens the shop's own page, as in any wallet. The buyer first sees the address. */
function externalLinkPage(href: string): string {
  const { host = "" } = URL.parse(href) ?? {};
  return page(
    "A code of a shop",
    `<section class="card"><h1>This code opens ${escapeHtml(host)}</h1>
<p class="note">${escapeHtml(href)}</p>
<a class="button main" href="${escapeHtml(href)}" rel="noreferrer">Open it</a></section>`,
    { tab: "pay" },
  );
}

function scanPage({ projection, now, lineCount }: Wallet, listsOrders: boolean): string {
  const open = listsOrders
    ? projection
        .orders()
        .toReversed()
        .filter((order) => isWaiting(order, now()))
    : [];
  return page(
    "Scan",
    `<h1>Scan a code to pay</h1>
<p class="note">A code that a shop shows you.</p>
<section class="drop" id="drop" hidden>
<video id="video" playsinline muted hidden></video>
<p class="note" id="said" role="status">Drop or paste a picture of the code here, or</p>
<button type="button" class="main" id="camera">Use the camera</button>
<button type="button" id="choose">Choose a picture</button>
<input type="file" id="picture" accept="image/*" aria-label="Picture of the code" hidden>
</section>
<h2>Or type it</h2>
<form class="row" method="post">
<label>Code <input name="code" autocomplete="off" spellcheck="false" required></label>
<button>Go on</button>
</form>
<div id="live">${section(
      "Codes shown on this machine",
      open.map((order) => orderEntry(order, now())),
    )}</div>
<p class="ways"><a class="button" href="/codes">Show a code</a></p>`,
    {
      tab: "pay",
      script: "scan.js",
      ...(listsOrders && { poll: { href: "/news", version: String(lineCount()) } }),
    },
  );
}

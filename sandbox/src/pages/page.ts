import type { ServerResponse } from "node:http";

const tabs = [
  ["home", "", "Home", "M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1Z"],
  ["pay", "codes", "Pay", "M4 4h6v6H4ZM14 4h6v6h-6ZM4 14h6v6H4ZM14 14h2v2h-2ZM18 18h2v2h-2ZM18 14h2M14 18v2"],
  ["history", "history", "History", "M12 7v5l3.5 2M4.5 9A8 8 0 1 1 4 12M4 5v4h4"],
  ["test", "test", "Test", "M9 4h6M10 4v6l-5 8.5A1 1 0 0 0 6 20h12a1 1 0 0 0 1-1.5L14 10V4M7.5 15h9"],
] as const;

/** The options of the wallet that its pages need. */
export interface PageOptions {
  /** Whether the pages list all orders to every visitor. */
  readonly listsOrders: boolean;
  /** The address of a demo point of sale for trying the wallet. */
  readonly tillUrl?: string | undefined;
}

export type Tab = (typeof tabs)[number][0];

export interface Frame {
  /** The tab of the wallet that is marked as current on the page. */
  readonly tab?: Tab;
  /** The relative root of the wallet's pages, because a proxy may serve them in a folder. */
  readonly root?: "/" | "../";
  /** Reloads the page in browsers without script. */
  readonly refreshSeconds?: number;
  /** The address that the script polls, and the version that the page shows. */
  readonly poll?: { readonly href: string; readonly version?: string };
  /** An additional script of this page. */
  readonly script?: string;
}

/** The frame of every page: an app as wide as a phone, which loads nothing from other origins. */
export function page(title: string, content: string, frame: Frame = {}): string {
  const { root = "/", script } = frame;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refreshTag(frame)}<title>${escapeHtml(title)} · Sandbox wallet</title>
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}style.css">
<script type="module" src="${root}script.js"></script>
${script === undefined ? "" : `<script type="module" src="${root}${script}"></script>\n`}</head>
<body>
<header><a class="brand" href="${root}">${logo}Sandbox wallet</a><span class="badge">No real money</span></header>
<main${pollAttributes(frame)}>
${content}
</main>
<nav aria-label="Wallet">${tabs.map((tab) => tabLink(tab, frame)).join("")}</nav>
<dialog class="asking" aria-label="A shop requests a payment"></dialog>
<p class="announcer" role="status"></p>
</body>
</html>
`;
}

function refreshTag({ refreshSeconds }: Frame): string {
  if (refreshSeconds === undefined) return "";
  return `<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>\n`;
}

function pollAttributes({ poll }: Frame): string {
  if (!poll) return "";
  const version = poll.version === undefined ? "" : ` data-version="${escapeHtml(poll.version)}"`;
  return ` data-news="${escapeHtml(poll.href)}"${version}`;
}

function tabLink([name, path, label, drawing]: (typeof tabs)[number], { tab, root = "/" }: Frame): string {
  const current = tab === name ? ' aria-current="page"' : "";
  return `<a href="${root}${path}"${current}>${icon(drawing)}${label}</a>`;
}

function icon(drawing: string): string {
  return `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8"
 stroke-linecap="round" stroke-linejoin="round"><path d="${drawing}"/></svg>`;
}

export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? character);
}

/** Names and values, one below the other; rows with an empty value are omitted. */
export function definitionList(rows: readonly (readonly string[])[]): string {
  const cells = rows
    .filter(([, value]) => value !== "")
    .map(([name = "", value = ""]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`);
  return `<dl>${cells.join("")}</dl>`;
}

const logo =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path fill="none" stroke="currentColor" ' +
  'stroke-width="2" stroke-linejoin="round" d="M4 7.5h14.5a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 ' +
  '1.5 0 0 1 4 18Zm0 0V6a1.5 1.5 0 0 1 1.5-1.5H17v3"/><circle cx="16" cy="13.5" r="1.4" fill="currentColor"/></svg>';

/**
 * The headers of a page whose form redirects to another origin. They list this origin, because browsers apply
 * `form-action` to redirects, too.
 */
export function pageHeadersTo(url: string): typeof pageHeaders {
  const { protocol = "", origin = "" } = URL.parse(url) ?? {};
  const target = /^https?:$/.test(protocol) ? origin : protocol;
  const policy = pageHeaders["content-security-policy"].replace(
    "form-action 'self'",
    `form-action 'self' ${target}`,
  );
  return { ...pageHeaders, "content-security-policy": policy };
}

export const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Permits pages of this origin to show the wallet's pages in a frame. All other frames are forbidden (clickjacking).
 */
export function allowFraming(origin: string): void {
  pageHeaders["content-security-policy"] = pageHeaders["content-security-policy"].replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${origin}`,
  );
}

/** The headers of a page that another origin shows in a frame; without an origin, they are unchanged. */
export function framedHeaders<Headers extends Readonly<Record<string, string>>>(
  headers: Headers,
  origin: string | undefined,
): Headers {
  const policy = headers["content-security-policy"] ?? "";
  return origin === undefined
    ? headers
    : {
        ...headers,
        "content-security-policy": policy.replace(/frame-ancestors [^;]*/, `frame-ancestors ${origin}`),
      };
}

/** Sends a page, which the pages of the origin `framedBy` may show in a frame. */
export function sendPage(response: ServerResponse, status: number, html: string, framedBy?: string): void {
  response.writeHead(status, framedHeaders(pageHeaders, framedBy));
  response.end(html);
}

/** A page with one sentence. */
export function sendMessagePage(
  response: ServerResponse,
  status: number,
  title: string,
  sentence: string,
): void {
  const home = '<p class="note"><a href="/">Your wallet</a></p>';
  sendPage(response, status, page(title, `<h1>${escapeHtml(sentence)}</h1>\n${home}`));
}

export type Tone = "good" | "bad" | "wait";

const iconPaths: Readonly<Record<Tone, string>> = {
  good: '<path d="M15 25.5l6.5 6.5L33.5 19"/>',
  bad: '<path d="M17 17l14 14M31 17L17 31"/>',
  wait: '<path d="M24 14v11l7 4"/>',
};

/** An icon of the state. */
export function stateIcon(tone: Tone): string {
  return `<svg class="sign ${tone}" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" fill="none"
 stroke="currentColor" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"><circle cx="24" cy="24" r="21"/>${iconPaths[tone]}</svg>`;
}

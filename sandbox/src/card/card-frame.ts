import type { ServerResponse } from "node:http";
import { escapeHtml, pageHeaders, pageHeadersTo } from "../pages/page.ts";

export interface CardFrame {
  /** Seconds until a browser without script reloads the page. */
  readonly refreshSeconds?: number;
  /** The data with which the script polls: the address, and the version that the page shows. */
  readonly poll?: { readonly href: string; readonly version: string };
}

/** The frame of every page about cards. */
export function cardPage(title: string, content: string, { refreshSeconds, poll }: CardFrame = {}): string {
  const refresh =
    refreshSeconds === undefined
      ? ""
      : `<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>\n`;
  const pollAttributes = poll
    ? ` data-news="${escapeHtml(poll.href)}" data-version="${escapeHtml(poll.version)}"`
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh}<title>${escapeHtml(title)} · Sandbox card page</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<link rel="stylesheet" href="/card.css">
<script type="module" src="/card.js"></script>
</head>
<body class="cards">
<header><span class="brand">${logo}Sandbox card page</span><span class="badge">No real money</span></header>
<main${pollAttributes}>
${content}
</main>
</body>
</html>
`;
}

const logo =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" ' +
  'stroke-linejoin="round"><rect x="3" y="5.5" width="18" height="13" rx="2"/><path d="M3 10h18M6.5 14.5h4"/></svg>';

/**
 * Headers that isolate the page: other windows can not keep a reference to it, and other sites can not load a part of
 * it.
 */
const isolationHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** `formsEndAt` is an additional origin to which a form of the page may redirect. */
export function cardHeaders(formsEndAt?: string): Readonly<Record<string, string>> {
  return { ...(formsEndAt === undefined ? pageHeaders : pageHeadersTo(formsEndAt)), ...isolationHeaders };
}

export function sendCardMessage(
  response: ServerResponse,
  status: number,
  title: string,
  sentence: string,
): void {
  response.writeHead(status, cardHeaders());
  response.end(
    cardPage(
      title,
      `<section class="card"><h1>${escapeHtml(title)}</h1>\n<p class="note">${escapeHtml(sentence)}</p></section>`,
    ),
  );
}

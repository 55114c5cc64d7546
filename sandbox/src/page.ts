import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

/** The frame of every page, in one file, with nothing from anywhere else. */
export function page(title: string, content: string, refreshSeconds?: number): string {
  const refresh = refreshSeconds ? `<meta http-equiv="refresh" content="${refreshSeconds}">` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh}<title>${escapeHtml(title)} · Sandbox wallet</title>
<style>${stylesheet}</style>
</head>
<body>
<header><a class="brand" href="/">${mark}Sandbox wallet</a><span class="badge">No real money</span></header>
<main>
${content}
</main>
</body>
</html>
`;
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

const mark =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path fill="none" stroke="currentColor" ' +
  'stroke-width="2" stroke-linejoin="round" d="M4 7.5h14.5a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 ' +
  '1.5 0 0 1 4 18Zm0 0V6a1.5 1.5 0 0 1 1.5-1.5H17v3"/><circle cx="16" cy="13.5" r="1.4" fill="currentColor"/></svg>';

/** The Content-Security-Policy allows it by its hash, so no other style can be injected. */
const stylesheet = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f8; --card: #fff; --ink: #171a23; --soft: #5b6172; --line: #e3e5ed;
  --accent: #4338ca; --accent-ink: #fff; --good: #147a4b; --bad: #b3261e; --wait: #8a5a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #11131a; --card: #1b1e28; --ink: #eef0f6; --soft: #a3a9bb; --line: #2f3342;
    --accent: #8b87ff; --accent-ink: #12132a; --good: #5fd39b; --bad: #ff9a92; --wait: #f2c063;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  background: var(--ground); color: var(--ink); min-height: 100vh; padding: 0 16px 32px;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header, main { max-width: 420px; margin: 0 auto; }
header { display: flex; justify-content: space-between; align-items: center; padding: 20px 4px 16px; }
.brand { display: inline-flex; align-items: center; gap: 8px; font-weight: 650; color: inherit; text-decoration: none; }
.brand svg { color: var(--accent); }
.badge {
  font-size: 12px; font-weight: 600; color: var(--soft); border: 1px solid var(--line);
  border-radius: 999px; padding: 3px 10px; background: var(--card);
}
main {
  background: var(--card); border: 1px solid var(--line); border-radius: 20px; padding: 28px 22px 22px;
  box-shadow: 0 10px 30px rgb(20 24 40 / 8%);
}
h1 { font-size: 17px; font-weight: 600; text-align: center; overflow-wrap: anywhere; }
.amount {
  font-size: 38px; line-height: 1.2; font-weight: 700; letter-spacing: -.02em; text-align: center; margin: 4px 0 22px;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
.amount small { font-size: 18px; font-weight: 600; color: var(--soft); margin-right: 8px; letter-spacing: 0; }
dl { border-top: 1px solid var(--line); margin-bottom: 20px; }
dl div { display: flex; justify-content: space-between; gap: 20px; padding: 11px 2px; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); flex: none; }
dd { text-align: right; overflow-wrap: anywhere; }
form { display: grid; gap: 10px; grid-template-columns: 2fr 1fr; }
button, .button {
  font: inherit; font-weight: 600; min-height: 50px; padding: 10px; border-radius: 12px; cursor: pointer;
  border: 1px solid var(--line); background: transparent; color: var(--ink); text-align: center;
}
button:hover { border-color: var(--soft); }
.main { grid-column: 1 / -1; background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.main:hover { filter: brightness(1.08); }
.wide { grid-column: 1 / -1; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.button { display: block; text-decoration: none; }
a.button { color: var(--ink); }
a.button.main { color: var(--accent-ink); }
.button + form { margin-top: 10px; }
.sign { display: block; margin: 0 auto 12px; }
.good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); }
.code {
  font: 600 22px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: .04em; text-align: center;
  margin: 16px 0; overflow-wrap: anywhere; user-select: all;
}
ul { list-style: none; padding: 0; margin: 14px 0 18px; border-top: 1px solid var(--line); }
li { padding: 11px 2px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
h2 { font-size: 13px; font-weight: 600; color: var(--soft); margin-top: 26px; }
h2 + ul { margin-top: 8px; }
a { color: var(--accent); }
.entry { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; color: inherit; text-decoration: none; }
.entry span:nth-child(even) { text-align: right; font-variant-numeric: tabular-nums; }
.entry small { color: var(--soft); font-size: 13px; }
.entry:hover span:first-child { color: var(--accent); }
.note { color: var(--soft); font-size: 14px; text-align: center; margin: 4px 0 20px; }
.name { color: var(--soft); font-size: 12px; text-align: center; margin-top: 18px; overflow-wrap: anywhere; }
`;

/** For a page whose form ends in a redirect elsewhere: browsers apply `form-action` to redirects, too. */
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
    `style-src 'sha256-${createHash("sha256").update(stylesheet).digest("base64")}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, pageHeaders);
  response.end(html);
}

export type Mood = "good" | "bad" | "wait";

const shapes: Readonly<Record<Mood, string>> = {
  good: '<path d="M15 25.5l6.5 6.5L33.5 19"/>',
  bad: '<path d="M17 17l14 14M31 17L17 31"/>',
  wait: '<path d="M24 14v11l7 4"/>',
};

/** An icon of the state. */
export function sign(mood: Mood): string {
  return `<svg class="sign ${mood}" viewBox="0 0 48 48" width="56" height="56" aria-hidden="true" fill="none"
 stroke="currentColor" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"><circle cx="24" cy="24" r="21"/>${shapes[mood]}</svg>`;
}

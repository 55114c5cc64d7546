import { html, type Html, type HtmlPart } from "../formats/html.ts";
import type { DocsPage, PageGroup, Site } from "./docs-page.ts";

/**
 * A served page: the top bar, the table of contents, the page's content, and the links to the previous and next page.
 */
export function renderPage(site: Site, page: DocsPage): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      ${head(site, page)}
      <body>
        <a class="skip" href="#main">Skip to the page</a>
        ${bar(site)} ${contents(site, page)}
        <main id="main">${whereabouts(site, page)} ${page.content(site)}</main>
        <footer>${neighbours(site, page)} ${footnote(page)}</footer>
      </body>
    </html> `;
  return relativeFrom(page.path, markup);
}

/** Links are written from the root and made relative here, so that a proxy may mount the gateway below any path. */
function relativeFrom(path: string, markup: string): string {
  const depth = path.split("/").length - 2;
  return markup.replaceAll(/ (href|src)="\//g, ` $1="${depth === 0 ? "./" : "../".repeat(depth)}`);
}

function head({ facts: { environment } }: Site, { path, title, description }: DocsPage): Html {
  return html`<head>
    <meta charset="utf-8" />
    <title>${title} · Tollgate (${environment})</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${description}" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.markup)}" />
    <link rel="stylesheet" href="/docs/style.css" />
    <link rel="alternate" type="text/markdown" href="${path}.md" />
    <script type="module" src="/docs/script.js"></script>
  </head>`;
}

/** The logo: a barrier, half open. */
const mark = html`<svg
  xmlns="http://www.w3.org/2000/svg"
  viewBox="0 0 32 32"
  width="28"
  height="28"
  aria-hidden="true"
>
  <path d="M7 27V15" stroke="#64748b" stroke-width="5" stroke-linecap="round" />
  <path d="M7 16 27 6" stroke="#e5484d" stroke-width="5" stroke-linecap="round" />
  <path d="M12.5 13.2l3.6-1.8M19.5 9.7l3.6-1.8" stroke="#fff" stroke-width="5" />
</svg>`;

/**
 * The top bar. The page's script adds the search between the badge and the links, so that a page without the script
 * shows no search that does not work.
 */
function bar({ facts: { environment } }: Site): Html {
  return html`<header class="bar">
    <a class="brand" href="/docs">${mark}<span>Tollgate</span></a>
    <span class="badge badge-${environment}">${environment}</span>
    <nav class="bar-links" aria-label="Elsewhere"><a href="/openapi.json">OpenAPI</a></nav>
  </header>`;
}

/** The name as HTML: a long name may break only before a capital letter. */
function breakable(name: string): Html {
  return html`${name.split(/(?=[A-Z])/).map((part) => html`<wbr />${part}`)}`;
}

function contents({ groups }: Site, current: DocsPage): Html {
  const link = (page: DocsPage, text: HtmlPart): Html =>
    html`<a href="${page.path}" ${page === current ? html`aria-current="page"` : undefined}>${text}</a>`;
  return html`<details class="contents">
    <summary>Contents</summary>
    <nav aria-label="Contents">
      ${groups.map(
        ({ title, page: own, pages }) =>
          html`<p class="group">${own ? link(own, title) : title}</p>
            <ul>
              ${pages.map((page) => html`<li class="${page.kind}">${link(page, nameIn(page))}</li> `)}
            </ul> `,
      )}
    </nav>
  </details>`;
}

function nameIn({ kind, title }: DocsPage): HtmlPart {
  return kind === "operation" || kind === "notification" ? breakable(title) : title;
}

function groupOf({ groups }: Site, page: DocsPage): PageGroup | undefined {
  return groups.find(({ page: own, pages }) => own === page || pages.includes(page));
}

/** The link to the start page, above the title. */
function whereabouts(site: Site, page: DocsPage): Html | undefined {
  if (page.kind === "start") return undefined;
  const { title, page: own } = groupOf(site, page) ?? {};
  const area = own && own !== page ? html`<a href="${own.path}">${title}</a>` : title;
  return html`<nav class="whereabouts" aria-label="Where you are">
    <a href="/docs">Docs</a> <span aria-hidden="true">/</span> ${own === page ? undefined : area}
  </nav>`;
}

function neighbours({ pages }: Site, page: DocsPage): Html {
  const place = pages.indexOf(page);
  const [before, after] = [pages[place - 1], pages[place + 1]];
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${before && html`<a rel="prev" href="${before.path}"><small>Before</small>${nameIn(before)}</a>`}
    ${after && html`<a rel="next" href="${after.path}"><small>Next</small>${nameIn(after)}</a>`}
  </nav>`;
}

function footnote({ path }: DocsPage): Html {
  return html`<p>
    Made from the gateway’s own list of operations. <a href="${path}.md">This page as Markdown</a>,
    <a href="/llms.txt">all pages for machines</a>, <a href="/openapi.json">OpenAPI 3.1</a>.
  </p>`;
}

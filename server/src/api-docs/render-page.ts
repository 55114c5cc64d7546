import { html, type Html, type HtmlPart } from "../formats/html.ts";
import type { DocsPage, PageGroup, DocsSite } from "./docs-page.ts";

/**
 * A served page: the top bar, the table of contents, the page's content, and the links to the previous and next page.
 */
export function renderPage(site: DocsSite, page: DocsPage): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      ${head(site, page)}
      <body>
        <a class="skip" href="#main">Skip to the page</a>
        ${topBar(site)} ${tableOfContents(site, page)}
        <main id="main">${breadcrumbs(site, page)} ${page.content(site)}</main>
        <footer>${previousAndNext(site, page)} ${footnote(page)}</footer>
      </body>
    </html> `;
  return makeLinksRelative(page.path, markup);
}

/** Links are written from the root and made relative here, so that a proxy may mount the gateway below any path. */
function makeLinksRelative(path: string, markup: string): string {
  const depth = path.split("/").length - 2;
  return markup.replaceAll(/ (href|src)="\//g, ` $1="${depth === 0 ? "./" : "../".repeat(depth)}`);
}

function head({ facts: { environment } }: DocsSite, { path, title, description }: DocsPage): Html {
  return html`<head>
    <meta charset="utf-8" />
    <title>${title} · Tollgate (${environment})</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="${description}" />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(logo.markup)}" />
    <link rel="stylesheet" href="/docs/style.css" />
    <link rel="alternate" type="text/markdown" href="${path}.md" />
    <script type="module" src="/docs/script.js"></script>
  </head>`;
}

/** The logo: a barrier, half open. */
const logo = html`<svg
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
function topBar({ facts: { environment } }: DocsSite): Html {
  return html`<header class="bar">
    <a class="brand" href="/docs">${logo}<span>Tollgate</span></a>
    <span class="badge badge-${environment}">${environment}</span>
    <nav class="bar-links" aria-label="Elsewhere"><a href="/openapi.json">OpenAPI</a></nav>
  </header>`;
}

/** The name as HTML: a long name may break only before a capital letter. */
function breakBeforeCapitals(name: string): Html {
  return html`${name.split(/(?=[A-Z])/).map((part) => html`<wbr />${part}`)}`;
}

function tableOfContents({ groups }: DocsSite, current: DocsPage): Html {
  const link = (page: DocsPage, text: HtmlPart): Html =>
    html`<a href="${page.path}" ${page === current ? html`aria-current="page"` : undefined}>${text}</a>`;
  return html`<details class="contents">
    <summary>Contents</summary>
    <nav aria-label="Contents">
      ${groups.map(
        ({ title, page: groupPage, pages }) =>
          html`<p class="group">${groupPage ? link(groupPage, title) : title}</p>
            <ul>
              ${pages.map((page) => html`<li class="${page.kind}">${link(page, contentsName(page))}</li> `)}
            </ul> `,
      )}
    </nav>
  </details>`;
}

function contentsName({ kind, title }: DocsPage): HtmlPart {
  return kind === "operation" || kind === "notification" ? breakBeforeCapitals(title) : title;
}

function groupOf({ groups }: DocsSite, page: DocsPage): PageGroup | undefined {
  return groups.find(({ page: groupPage, pages }) => groupPage === page || pages.includes(page));
}

/** The link to the start page, above the title. */
function breadcrumbs(site: DocsSite, page: DocsPage): Html | undefined {
  if (page.kind === "start") return undefined;
  const { title, page: groupPage } = groupOf(site, page) ?? {};
  const area = groupPage && groupPage !== page ? html`<a href="${groupPage.path}">${title}</a>` : title;
  return html`<nav class="whereabouts" aria-label="Where you are">
    <a href="/docs">Docs</a> <span aria-hidden="true">/</span> ${groupPage === page ? undefined : area}
  </nav>`;
}

function previousAndNext({ pages }: DocsSite, page: DocsPage): Html {
  const pageIndex = pages.indexOf(page);
  const [before, after] = [pages[pageIndex - 1], pages[pageIndex + 1]];
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${before && html`<a rel="prev" href="${before.path}"><small>Before</small>${contentsName(before)}</a>`}
    ${after && html`<a rel="next" href="${after.path}"><small>Next</small>${contentsName(after)}</a>`}
  </nav>`;
}

function footnote({ path }: DocsPage): Html {
  return html`<p>
    Made from the gateway’s own list of operations. <a href="${path}.md">This page as Markdown</a>,
    <a href="/llms.txt">all pages for machines</a>, <a href="/openapi.json">OpenAPI 3.1</a>.
  </p>`;
}

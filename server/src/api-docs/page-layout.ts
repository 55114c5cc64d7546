import { html, type Html, type HtmlPart } from "../formats/html.ts";
import type { DocsPage } from "./docs-page.ts";
import { renderProse } from "./prose.ts";

/** A heading with an anchor. */
export function sectionHeading(id: string, title: string): Html {
  return html`<h2 id="${id}">
    ${title}<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>
  </h2>`;
}

/** Prose and its code: side by side on wide screens. */
export function proseAndCode(text: HtmlPart, code?: HtmlPart): Html {
  const proseHtml = html`<div class="prose">${text}</div>`;
  return code === undefined
    ? proseHtml
    : html`<div class="row">
        ${proseHtml}
        <div class="beside">${code}</div>
      </div>`;
}

/** The title of a page, and its description. */
export function pageOpening(title: string, description: string): Html {
  return html`<h1>${title}</h1>
    <p class="lede">${renderProse(description)}</p>`;
}

/** Pages as a list of titles and descriptions. */
export function pageList(pages: readonly DocsPage[]): Html {
  return html`<ul class="page-list">
    ${pages.map(
      ({ path, title, description, kind }) =>
        html`<li>
          <a class="${kind}" href="${path}">${title}</a>
          <span>${renderProse(description)}</span>
        </li> `,
    )}
  </ul>`;
}

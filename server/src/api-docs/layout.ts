import { html, type Html, type HtmlPart } from "../core/html.ts";

/** A part of the page, and its entry in the contents. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

export function section({ id, title, content }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></h2>
    ${content}
  </section> `;
}

/** Prose, and the code that belongs to it: side by side where there is room for both. */
export function row(text: HtmlPart, code?: HtmlPart): Html {
  const prose = html`<div class="prose">${text}</div>`;
  return code === undefined
    ? prose
    : html`<div class="row">
        ${prose}
        <div class="beside">${code}</div>
      </div>`;
}

import { html, type Html, type HtmlPart } from "../formats/html.ts";

/** The text of an operation's description: text between backticks is code, and may be a link. */
export function renderProse(text: string, hrefOf?: (code: string) => string | undefined): Html {
  const parts = text.split("`").map((part, index): HtmlPart => {
    if (index % 2 === 0) return part;
    const href = hrefOf?.(part);
    return href === undefined ? html`<code>${part}</code>` : html`<a href="${href}"><code>${part}</code></a>`;
  });
  return html`${parts}`;
}

import { html, type Html } from "../formats/html.ts";
import { highlight, type CodeLanguage } from "./highlight.ts";

interface Block {
  readonly title: string;
  readonly language: CodeLanguage;
  readonly code: string;
}

/** A block of code with a title. The page's script adds a copy button. */
export function codeBlock({ title, language, code }: Block): Html {
  return html`<figure class="code">
    <figcaption>${title}</figcaption>
    ${codePre(code, language)}
  </figure>`;
}

export interface Tab {
  /** The name above adjacent tabs of one group. */
  readonly group?: string;
  /** The value by which all blocks of all pages follow a reader's choice of a tab. The style sheet lists all values. */
  readonly value: string;
  readonly label: string;
  readonly language: CodeLanguage;
  readonly code: string;
}

/**
 * Tabs with the same code in several languages. Radio buttons and the style sheet switch the tabs, so the tabs work
 * without a script. The script only makes all blocks of the page follow, and remembers the choice.
 */
export function codeTabs(name: string, title: string, items: readonly Tab[]): Html {
  const buttons = items.map(({ group, value, label }, index) => {
    const heading = group !== items[index - 1]?.group && html`<span class="tab-group">${group}</span>`;
    return html`${heading || undefined}<input
        type="radio"
        name="${name}"
        id="${name}-${value}"
        value="${value}"
        ${index === 0 ? html`checked` : undefined}
      /><label for="${name}-${value}">${label}</label>`;
  });
  const panes = items.map(
    ({ value, label, group, language, code }) =>
      html`<div
        class="pane"
        data-tab="${value}"
        data-title="${group ? `${label}, ${group.toLowerCase()}` : label}"
      >
        ${codePre(code, language)}
      </div>`,
  );
  return html`<fieldset class="code tabs">
    <legend>${title}</legend>
    ${buttons}${panes}
  </fieldset>`;
}

/** Long lines scroll inside the block, so the block must be reachable by keyboard (`tabindex`). */
export function codePre(code: string, language: CodeLanguage): Html {
  return html`<pre tabindex="0" data-code="${language}"><code>${highlight(code, language)}</code></pre>`;
}

/** Code in a language without syntax highlighting. */
export function plainCode(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`;
}

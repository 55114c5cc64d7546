import { html, type Html } from "../core/html.ts";
import { highlight, type CodeLanguage } from "./highlight.ts";

interface Block {
  readonly title: string;
  readonly language: CodeLanguage;
  readonly code: string;
}

/** A block of code under its title. The page's script adds a button that copies it. */
export function codeBlock({ title, language, code }: Block): Html {
  return html`<figure class="code">
    <figcaption>${title}</figcaption>
    ${pre(code, language)}
  </figure>`;
}

export interface Tab {
  /** Tabs of one group stand together, under its name. */
  readonly group?: string;
  /** By which all blocks of all pages follow a choice; the style sheet knows every one. */
  readonly value: string;
  readonly label: string;
  readonly language: CodeLanguage;
  readonly code: string;
}

/**
 * Tabs with the same code in several languages. Radio buttons and the style sheet do the switching, so it works
 * without a script; the script only makes all blocks of the page follow, and remembers.
 */
export function tabs(name: string, title: string, all: readonly Tab[]): Html {
  const buttons = all.map(({ group, value, label }, index) => {
    const heading = group !== all[index - 1]?.group && html`<span class="tab-group">${group}</span>`;
    return html`${heading || undefined}<input
        type="radio"
        name="${name}"
        id="${name}-${value}"
        value="${value}"
        ${index === 0 ? html`checked` : undefined}
      /><label for="${name}-${value}">${label}</label>`;
  });
  const panes = all.map(
    ({ value, label, group, language, code }) =>
      html`<div
        class="pane"
        data-tab="${value}"
        data-title="${group ? `${label}, ${group.toLowerCase()}` : label}"
      >
        ${pre(code, language)}
      </div>`,
  );
  return html`<fieldset class="code tabs">
    <legend>${title}</legend>
    ${buttons}${panes}
  </fieldset>`;
}

/** Long lines scroll inside the block, so it has to be reachable by keyboard (`tabindex`). */
export function pre(code: string, language: CodeLanguage): Html {
  return html`<pre tabindex="0" data-code="${language}"><code>${highlight(code, language)}</code></pre>`;
}

/** Code in a language that we do not colour. */
export function plainCode(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`;
}

import { languages, type Language } from "./call-samples.ts";
import { highlight, type CodeLanguage } from "./highlight.ts";
import { html, type Html } from "../core/html.ts";

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

/**
 * Tabs with the same code in every language. Radio buttons and the style sheet do the switching, so it works
 * without a script; the script only makes all blocks of the page follow, and remembers.
 */
export function codeInEveryLanguage(
  name: string,
  title: string,
  codeIn: (language: Language) => string,
): Html {
  const entries = Object.entries(languages) as [Language, string][];
  const tabs = entries.map(
    ([language, label]) =>
      html`<input
          type="radio"
          name="${name}"
          id="${name}-${language}"
          value="${language}"
          ${language === "curl" ? html`checked` : undefined}
        /><label for="${name}-${language}">${label}</label>`,
  );
  const panes = entries.map(
    ([language]) =>
      html`<div class="pane" data-language="${language}">${pre(codeIn(language), language)}</div>`,
  );
  return html`<fieldset class="code tabs">
    <legend>${title}</legend>
    ${tabs}${panes}
  </fieldset>`;
}

/** Long lines scroll inside the block, so it has to be reachable by keyboard (`tabindex`). */
function pre(code: string, language: CodeLanguage): Html {
  return html`<pre tabindex="0"><code>${highlight(code, language)}</code></pre>`;
}

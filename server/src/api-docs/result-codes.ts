import { results, type ResultCode, type ResultStatus } from "../core/result.ts";
import { html, type Html } from "../formats/html.ts";
import { renderProse } from "./prose.ts";

const statusNames: Readonly<Record<ResultStatus, string>> = {
  S: "it happened",
  F: "it did not",
  U: "the outcome is unknown",
};

/**
 * The target of `docUrl` in the sandbox's responses: the row of the code in the table of all codes. The code is the
 * anchor.
 */
export function codeAddress(code: ResultCode): string {
  return `/docs/results#${code}`;
}

/** A code with a link to its row in the table of all codes. */
export function codeLink(code: ResultCode): Html {
  return html`<a class="result" href="${codeAddress(code)}"
    >${statusLetter(results[code].status)}<code>${code}</code></a
  >`;
}

export function statusLetter(status: ResultStatus): Html {
  return html`<b class="status ${status}" title="${statusNames[status]}">${status}</b>`;
}

export function resultCodesTable(): Html {
  const rows = Object.entries(results).map(
    ([code, { status, message, advice }]) =>
      html`<tr id="${code}">
        <th scope="row">
          <a href="#${code}">${breakAfterUnderscore(code)}</a>
        </th>
        <td>${statusLetter(status)}</td>
        <td>${renderProse(message)}</td>
        <td>${renderProse(advice)}</td>
      </tr> `,
  );
  return html`<table class="codes stacks">
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Status</th>
        <th scope="col">Means</th>
        <th scope="col">Do</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/**
 * All codes in a compact list. An older `docUrl` points to `/docs#CODE` in this list, which links to the row of the
 * code.
 */
export function resultCodesList(): Html {
  const codes = Object.keys(results) as ResultCode[];
  return html`<ul class="code-list">
    ${codes.map((code) => html`<li id="${code}"><a href="${codeAddress(code)}">${breakAfterUnderscore(code)}</a></li> `)}
  </ul>`;
}

/** The code as HTML: a long code may break only after an underscore. */
function breakAfterUnderscore(code: string): Html {
  const parts = code.split(/(?<=_)/);
  return html`${parts.map((part, index) => (index > 0 ? html`<wbr />${part}` : part))}`;
}

import { results, type ResultCode, type ResultStatus } from "../core/result.ts";
import { html, type Html } from "../core/html.ts";
import { prose } from "./prose.ts";

const statusNames: Readonly<Record<ResultStatus, string>> = {
  S: "it happened",
  F: "it did not",
  U: "nobody knows yet",
};

/** A code that leads to its row in the table of all codes. */
export function codeLink(code: ResultCode): Html {
  return html`<a class="result" href="#${code}"
    >${statusLetter(results[code].status)}<code>${code}</code></a
  >`;
}

export function statusLetter(status: ResultStatus): Html {
  return html`<b class="status ${status}" title="${statusNames[status]}">${status}</b>`;
}

/** Answers of the sandbox point here: the anchor of a row is its code. */
export function resultCodesTable(): Html {
  const rows = Object.entries(results).map(
    ([code, { status, message, advice }]) =>
      html`<tr id="${code}">
        <th scope="row">
          <a href="#${code}">${breakable(code)}</a>
        </th>
        <td>${statusLetter(status)}</td>
        <td>${prose(message)}</td>
        <td>${prose(advice)}</td>
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

/** Long codes may break after an underscore, and nowhere else. */
function breakable(code: string): Html {
  const parts = code.split(/(?<=_)/);
  return html`${parts.map((part, index) => (index > 0 ? html`<wbr />${part}` : part))}`;
}

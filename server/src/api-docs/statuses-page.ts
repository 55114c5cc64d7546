import { formatFinality, statusTables, type StatusTable } from "../catalog/statuses.ts";
import { html, type Html } from "../formats/html.ts";
import type { DocsPage } from "./docs-page.ts";
import { sectionHeading, pageOpening, proseAndCode } from "./page-layout.ts";
import { renderProse } from "./prose.ts";

/** The final statuses, generated from the lifecycles like docs/reference/statuses.md. */
export function statusesPage(): DocsPage {
  const title = "Statuses";
  const description = "The meaning of each status, the final statuses, and the allowed next statuses.";
  return {
    path: "/docs/statuses",
    title,
    description,
    kind: "topic",
    content: () =>
      html`${pageOpening(title, description)}
      ${proseAndCode(
        html`<p>
          A status that is final never changes. One that is final <em>unless</em> something happens changes in
          that case only.
        </p>`,
      )}
      ${statusTables.map(section)}`,
  };
}

function section({ noun, title, note, rows }: StatusTable): Html {
  return html`${sectionHeading(noun.replaceAll("_", "-"), title)}
  ${proseAndCode(
    html`<p>${renderProse(note)}</p>
      <table class="stacks">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Means</th>
            <th scope="col">Final</th>
            <th scope="col">Next</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ status, means, finality, next }) =>
              html`<tr>
                <th scope="row"><code>${status}</code></th>
                <td>${renderProse(means)}</td>
                <td>${formatFinality(finality)}</td>
                <td>
                  ${next.length === 0 ? "–" : renderProse(next.map((each) => `\`${each}\``).join(", "))}
                </td>
              </tr> `,
          )}
        </tbody>
      </table>`,
  )}`;
}

import { openApi } from "../api/openapi.ts";
import type { Operation } from "../api/operation.ts";
import { authentication, idempotency } from "./authentication.ts";
import { anchorOf, nameOf, type Facts } from "./facts.ts";
import { html, type Html, type HtmlPart } from "../core/html.ts";
import { prose } from "./prose.ts";
import { row, section, type Section } from "./layout.ts";
import { notificationsSection } from "./notifications-section.ts";
import { operationArticle } from "./operation-article.ts";
import { resultCodesTable } from "./result-codes.ts";
import { environments, limitsSection, resultsSection } from "./rules.ts";
import { opening, startSections } from "./start.ts";

/** The page at `/docs`: the rules that hold everywhere, then every operation, then every result code. */
export function apiDocsPage(facts: Facts): string {
  const guide = [
    ...startSections(facts),
    authentication(facts),
    environments(facts),
    resultsSection(facts),
    idempotency(),
    limitsSection(facts),
  ];
  const areas = areasOf(facts.operations);
  const told = notificationsSection();
  const codes: Section = {
    id: "result-codes",
    title: "Result codes",
    content: row(
      html`<p>A code has one status, wherever it appears.</p>
        ${resultCodesTable()}`,
    ),
  };
  const page = html`<!doctype html>
    <html lang="en">
      ${head(facts)}
      <body>
        <a class="skip" href="#main">Skip to the reference</a>
        ${bar(facts)} ${contents(guide, areas, [told, codes])}
        <main id="main">
          ${opening(facts)} ${guide.map(section)}
          ${areas.map((area) => section({ ...area, content: areaContent(facts, area) }))} ${section(told)}
          ${section(codes)}
        </main>
        <footer>
          <p>
            Made from the gateway’s own list of operations:
            <a href="openapi.json">the same as OpenAPI 3.1</a>.
          </p>
        </footer>
      </body>
    </html> `;
  return page.markup;
}

interface Area {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** In the order of the list of operations, under the names and descriptions of the OpenAPI document. */
function areasOf(operations: readonly Operation[]): readonly Area[] {
  const { tags } = openApi(operations) as unknown as {
    readonly tags: readonly { readonly name: string; readonly description: string }[];
  };
  return tags
    .map(({ name, description }) => ({
      id: name,
      title: name.charAt(0).toUpperCase() + name.slice(1),
      description,
      operations: operations.filter(({ path }) => path.startsWith(`${name}/`)),
    }))
    .filter(({ operations: own }) => own.length > 0);
}

function areaContent(facts: Facts, { description, operations }: Area): Html {
  return html`<p class="intro">${prose(description)}</p>
    ${operations.map((operation) => operationArticle(facts, operation))}`;
}

function head({ environment }: Facts): Html {
  return html`<head>
    <meta charset="utf-8" />
    <title>Tollgate API reference (${environment})</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta
      name="description"
      content="Every operation of the Tollgate payment gateway, with samples that run."
    />
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark.markup)}" />
    <link rel="stylesheet" href="docs/style.css" />
    <script type="module" src="docs/script.js"></script>
  </head>`;
}

/** A barrier, half open. */
const mark = html`<svg
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

function bar({ environment }: Facts): Html {
  return html`<header class="bar">
    <a class="brand" href="#main">${mark}<span>Tollgate</span></a>
    <span class="badge badge-${environment}">${environment}</span>
    <a class="bar-link" href="openapi.json">OpenAPI</a>
  </header>`;
}

/** A long name may break before a capital letter, and nowhere else. */
function breakable(name: string): Html {
  return html`${name.split(/(?=[A-Z])/).map((part) => html`<wbr />${part}`)}`;
}

function link(id: string, title: HtmlPart): Html {
  return html`<li><a href="#${id}">${title}</a></li> `;
}

function contents(guide: readonly Section[], areas: readonly Area[], after: readonly Section[]): Html {
  return html`<details class="contents">
    <summary>Contents</summary>
    <nav aria-label="Contents">
      <p class="group">Guide</p>
      <ul>
        ${guide.map(({ id, title }) => link(id, title))}
      </ul>
      ${areas.map(
        ({ id, title, operations }) =>
          html`<p class="group"><a href="#${id}">${title}</a></p>
            <ul class="operations">
              ${operations.map((operation) => link(anchorOf(operation), breakable(nameOf(operation))))}
            </ul> `,
      )}
      <p class="group">Look up</p>
      <ul>
        ${after.map(({ id, title }) => link(id, title))}
        <li><a href="openapi.json">OpenAPI document</a></li>
      </ul>
    </nav>
  </details>`;
}

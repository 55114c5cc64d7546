import { areaDescriptions } from "../catalog/openapi.ts";
import type { Operation } from "../contract/operation.ts";
import { html } from "../formats/html.ts";
import type { DocsPage, PageGroup } from "./docs-page.ts";
import { operationAddress, operationName, type SiteFacts } from "./site-facts.ts";
import { pageOpening, pageList } from "./page-layout.ts";
import { operationContent } from "./operation-page.ts";

/** A page group for each area: a page that lists its operations, and a page for each operation. */
export function areaGroups(facts: SiteFacts): readonly PageGroup[] {
  return areasOf(facts.operations).map(({ name, description, operations }) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    const pages = operations.map((operation) => operationPage(facts, operation));
    const content = () => html`${pageOpening(title, description)} ${pageList(pages)}`;
    return { title, page: { path: `/docs/${name}`, title, description, kind: "topic", content }, pages };
  });
}

interface Area {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** Areas in the order of the list of operations, with the names and descriptions of the OpenAPI document. */
function areasOf(operations: readonly Operation[]): readonly Area[] {
  return Object.entries(areaDescriptions)
    .map(([name, description]) => ({
      name,
      description,
      operations: operations.filter(({ path }) => path.startsWith(`${name}/`)),
    }))
    .filter(({ operations: operationsOfArea }) => operationsOfArea.length > 0);
}

function operationPage(facts: SiteFacts, operation: Operation): DocsPage {
  return {
    path: operationAddress(operation),
    title: operationName(operation),
    description: operation.summary,
    kind: "operation",
    content: () => operationContent(facts, operation),
  };
}

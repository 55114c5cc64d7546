import type { Html } from "../core/html.ts";
import type { Facts } from "./facts.ts";

/** One page. Its address is its place from the root, `/docs/payments/pay`; links are written the same way. */
export interface DocsPage {
  readonly path: string;
  readonly title: string;
  /** One sentence: for lists, for the search and for machines. */
  readonly description: string;
  readonly kind: "start" | "guide" | "topic" | "operation" | "notification";
  /** What stands in `main`; it may list the other pages. */
  readonly content: (site: Site) => Html;
  /** A guide's own text. The Markdown twin of any other page is made from what it shows. */
  readonly source?: string;
}

/** Pages that stand together in the contents, perhaps under a page of their own. */
export interface PageGroup {
  readonly title: string;
  readonly page?: DocsPage;
  readonly pages: readonly DocsPage[];
}

export interface Site {
  readonly facts: Facts;
  readonly groups: readonly PageGroup[];
  /** All pages, in the order in which one reads them. */
  readonly pages: readonly DocsPage[];
}

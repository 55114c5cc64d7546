import type { Html } from "../formats/html.ts";
import type { SiteFacts } from "./site-facts.ts";

/**
 * One page of `/docs`. Its address is its path from the root, such as `/docs/payments/pay`; links have the same form.
 */
export interface DocsPage {
  readonly path: string;
  readonly title: string;
  /** The description of the page in one sentence, for lists of pages, the search and `llms.txt`. */
  readonly description: string;
  readonly kind: "start" | "guide" | "topic" | "operation" | "notification";
  /** The content of the page's `main` element. The content may list the other pages. */
  readonly content: (site: DocsSite) => Html;
  /** A guide's own Markdown. The Markdown version of any other page is made from its HTML. */
  readonly source?: string;
}

/** Pages that are grouped in the table of contents, perhaps under a page of their own. */
export interface PageGroup {
  readonly title: string;
  readonly page?: DocsPage;
  readonly pages: readonly DocsPage[];
}

export interface DocsSite {
  readonly facts: SiteFacts;
  readonly groups: readonly PageGroup[];
  /** All pages, in reading order. */
  readonly pages: readonly DocsPage[];
}

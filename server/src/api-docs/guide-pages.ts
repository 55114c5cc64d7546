import { html, type Html } from "../formats/html.ts";
import type { DocsPage, PageGroup } from "./docs-page.ts";
import type { SiteFacts, GuideFile } from "./site-facts.ts";
import { pageList, pageOpening } from "./page-layout.ts";
import { markdownToHtml, parseMarkdown, type Block } from "./markdown.ts";

/** The group of guides in the table of contents; empty if there are no guides. */
export function guideGroups({ guides }: SiteFacts): readonly PageGroup[] {
  if (guides.length === 0) return [];
  const names = new Set(guides.map(({ name }) => name));
  const pages = guides.map((guide) => guidePage(guide, names));
  const title = "Guides";
  const description = "How to do it: one page for each task of a shop.";
  const content = (): Html => html`${pageOpening(title, description)} ${pageList(pages)}`;
  return [{ title, page: { path: "/docs/guides", title, description, kind: "topic", content }, pages }];
}

/** The page of a guide. Its first heading is the title, and its first paragraph describes the guide in one sentence. */
function guidePage({ name, text }: GuideFile, names: ReadonlySet<string>): DocsPage {
  const blocks = parseMarkdown(text);
  const [title, description] = [
    requireText(name, blocks[0], "heading"),
    requireText(name, blocks[1], "paragraph"),
  ];
  return {
    path: `/docs/guides/${name}`,
    title,
    description,
    kind: "guide",
    content: () =>
      html`<article class="guide-page prose">
        ${markdownToHtml(blocks, (link) => resolveLink(names, link))}
      </article>`,
    source: text,
  };
}

function requireText(name: string, block: Block | undefined, kind: "heading" | "paragraph"): string {
  if (block?.kind !== kind) throw new Error(`The guide ${name} must begin with a title and a sentence.`);
  return block.text.replaceAll(/\[([^\]]*)\]\([^)]*\)|[*]/g, "$1");
}

/** Documents of the repository that have a page in `/docs`. */
const documentPages: Readonly<Record<string, string>> = {
  "../reference/results.md": "/docs/results",
  "../reference/notifications.md": "/docs/notifications",
  "../reference/limits.md": "/docs/limits",
  "../reference/statuses.md": "/docs/statuses",
  "../concepts/lifecycles.md": "/docs/statuses",
  "../concepts/signing.md": "/docs/signing",
  "../../server/openapi.json": "/openapi.json",
};

/** The address of a guide's link on the site; undefined for a file that exists only in the repository. */
function resolveLink(names: ReadonlySet<string>, link: string): string | undefined {
  if (/^(?:https?:|#|\/(?!\/))/.test(link)) return link;
  const [, path = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  const guide = /^(?:\.\/)?([\w-]+)\.md$/.exec(path)?.[1];
  if (guide !== undefined && names.has(guide)) return `/docs/guides/${guide}${hash}`;
  const page = documentPages[path];
  return page === undefined ? undefined : page + hash;
}

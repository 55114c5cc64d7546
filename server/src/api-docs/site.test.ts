import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { notifications } from "../catalog/notifications.ts";
import { operations } from "../catalog/operations.ts";
import { readSite } from "../http/pages/api-docs.ts";
import { examplesOf } from "./site-facts.ts";
import { llmsText } from "./llms.ts";
import { renderMarkdown } from "./markdown-version.ts";
import { renderPage } from "./render-page.ts";
import { parseElements, type Node } from "./read-html.ts";
import { openSearch } from "./open-search.ts";
import { searchEntries } from "./search-index.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-guides-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, "take-a-payment.md"),
  `# Take a payment

From a basket to money, in one page.

## Ask for it

Call [\`pay\`](/docs/payments/pay), and read [the results](../reference/results.md#codes); the
[server](../operating/install.md) is another matter.

1. Store an id.
2. Call, then **wait**:

   \`\`\`sh
   curl "$URL" # <b>
   \`\`\`

| when | do |
| --- | --- |
| \`a|b\` | this & that |
`,
);
const seenFrom = { publicUrl: "https://pay.example", environment: "sandbox" } as const;
const site = readSite(seenFrom, pathToFileURL(`${folder}/`));
const rendered = new Map(site.pages.map((page) => [page.path, renderPage(site, page)]));

/** Every attribute with this name on a page. */
function all(nodes: readonly Node[], name: string): string[] {
  return nodes.flatMap((node) => {
    if (typeof node === "string") return [];
    const value = node.attributes[name];
    return [...(value === undefined ? [] : [value]), ...all(node.children, name)];
  });
}

function elementsOf(page: string): readonly Node[] {
  return parseElements((rendered.get(page) ?? "").replace("<!doctype html>", ""));
}

test("every operation and every webhook has a page with a unique address", () => {
  const paths = site.pages.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  for (const { path } of operations) assert.ok(paths.includes(`/docs/${path}`), path);
  assert.equal(paths.filter((path) => path.startsWith("/docs/notifications/")).length, notifications.length);
});

test("if the reader is known, samples have its client id and key file, and otherwise placeholders", () => {
  const docsReader = {
    clientId: "SANDBOX_5Y42",
    keyFile: "/home/me/shop/.tollgate/merchant-private.pem",
    gatewayKeyFile: "/home/me/shop/.tollgate/gateway-public.pem",
  };
  const readerSite = readSite({ ...seenFrom, docsReader }, pathToFileURL(`${folder}/`));
  for (const path of ["/docs/payments/pay", "/docs/first-request", "/docs/libraries"]) {
    const page = readerSite.pages.find((each) => each.path === path) ?? assert.fail(path);
    for (const text of [renderPage(readerSite, page), renderMarkdown(readerSite, page)]) {
      assert.ok(text.includes(docsReader.clientId) && text.includes(docsReader.keyFile), path);
      assert.ok(!text.includes("SANDBOX_YOUR_CLIENT_ID"), path);
    }
    assert.match(rendered.get(path) ?? "", /SANDBOX_YOUR_CLIENT_ID/);
  }
  const libraries = readerSite.pages.find(({ path }) => path === "/docs/libraries") ?? assert.fail();
  assert.ok(renderPage(readerSite, libraries).includes(docsReader.gatewayKeyFile));
});

test("the overview says that a rejection is HTTP 200 as well", () => {
  assert.match(rendered.get("/docs") ?? "", /Every response of an operation is HTTP 200, also a rejection\./);
});

test("every link of every page leads to an existing page and anchor", () => {
  const files = ["/openapi.json", "/llms.txt", "/docs/style.css", "/docs/script.js", "/service"];
  const twins = site.pages.map(({ path }) => `${path}.md`);
  const ids = new Map(site.pages.map(({ path }) => [path, new Set(all(elementsOf(path), "id"))]));
  let count = 0;
  for (const { path } of site.pages) {
    for (const link of all(elementsOf(path), "href").filter((each) => !each.startsWith("data:"))) {
      count += 1;
      const { pathname, hash } = new URL(link, `https://pay.example${path}`);
      const isFile = files.includes(pathname) || twins.includes(pathname);
      assert.ok(isFile || ids.get(pathname), `${path} links to ${link}`);
      if (hash !== "") assert.ok(ids.get(pathname)?.has(hash.slice(1)), `${path} links to ${link}`);
    }
  }
  assert.ok(count > 3_000, `only ${count} links`);
});

test("no id occurs twice on a page, and no link begins at the root of the host", () => {
  for (const { path } of site.pages) {
    const ids = all(elementsOf(path), "id");
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
      path,
    );
    assert.doesNotMatch(rendered.get(path) ?? "", / (?:href|src)="\//);
  }
});

test("each page is marked in its contents", () => {
  for (const { path } of site.pages) {
    const marked = rendered.get(path)?.match(/<a href="([^"]+)" aria-current="page">/g) ?? [];
    assert.equal(marked.length, 1, path);
    const [, href = ""] = /href="([^"]+)"/.exec(marked[0] ?? "") ?? [];
    assert.equal(new URL(href, `https://pay.example${path}`).pathname, path);
  }
});

test("every example is on its page, with each library and as JSON", () => {
  for (const operation of operations) {
    const markup = rendered.get(`/docs/${operation.path}`) ?? "";
    const panes = markup.match(/data-tab="\w+-library"/g) ?? [];
    assert.equal(panes.length, 5 * examplesOf(operation).length, operation.path);
  }
  assert.ok(examplesOf(operations[0]!).length >= 7);
});

test("the Markdown version of a page has the same content", () => {
  for (const page of site.pages.filter(({ kind }) => kind !== "guide")) {
    const text = renderMarkdown(site, page);
    assert.match(text, /^#+ /m, page.path);
    assert.doesNotMatch(text, /<\/?(?:p|a|td|div|span|code)\b|\]\(\/|undefined/, page.path);
  }
  const pay = renderMarkdown(
    site,
    site.pages.find(({ path }) => path === "/docs/payments/pay")!,
  );
  assert.match(pay, /^# pay\n\nStarts a payment\.\n/m);
  assert.match(
    pay,
    /\| `order\.merchant\.merchantMCC` \| string \| depends \|.*Needed when `productCode` is/,
  );
  assert.match(pay, /- \[F `INVALID_SIGNATURE`\]\(\.\.\/\.\.\/docs\/results\.md#INVALID_SIGNATURE\)/);
  assert.match(pay, /`WEB` A browser on a computer\.; `WAP`/);
  assert.match(pay, /^```java\nimport io\.tollgate\.Money;/m);
  assert.match(
    pay,
    /\[inquiryPayment\]\(.*inquiryPayment\.md\)|\[`inquiryPayment`\]\(\.\.\/\.\.\/docs\/payments\/inquiryPayment\.md\)/,
  );
});

test("compressed, the start page has at most 8 kB, and no page more than 20 kB", () => {
  const sizeOf = (path: string): number => gzipSync(rendered.get(path) ?? "", { level: 9 }).length;
  assert.ok(sizeOf("/docs") < 8_000, `${sizeOf("/docs")} bytes`);
  for (const { path } of site.pages) assert.ok(sizeOf(path) < 20_000, `${path}: ${sizeOf(path)} bytes`);
});

test("llms.txt leads to every page", () => {
  const text = llmsText(site);
  for (const { path } of site.pages) assert.ok(text.includes(`(https://pay.example${path}.md)`), path);
});

test("a guide is a page, in the contents and in the search, and cannot inject markup", () => {
  const markup = rendered.get("/docs/guides/take-a-payment") ?? "";
  assert.match(markup, /<h1>Take a payment<\/h1>/);
  assert.match(markup, /<h2 id="ask-for-it">/);
  assert.match(markup, /<a href="\.\.\/\.\.\/docs\/results#codes">the results<\/a>/);
  assert.match(
    markup,
    /<span class="elsewhere" title="In the repository: \.\.\/operating\/install\.md">server/,
  );
  assert.match(markup, /<td><code>a\|b<\/code><\/td>\s*<td>this &amp; that<\/td>/);
  assert.match(markup, /# &lt;b&gt;/);
  assert.match(rendered.get("/docs") ?? "", /guides\/take-a-payment">Take a payment</);
  assert.equal(
    openSearch(searchEntries(site))("from a basket to money")[0]?.path,
    "/docs/guides/take-a-payment",
  );
});

test("without a folder of guides the other pages exist", () => {
  const bare = readSite(seenFrom, pathToFileURL(`${folder}/nowhere/`));
  assert.ok(bare.groups.every(({ title }) => title !== "Guides"));
  assert.equal(bare.pages.length, site.pages.length - 2);
});

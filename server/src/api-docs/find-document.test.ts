import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSearch, type Entry } from "./open-search.ts";

const docs = join(import.meta.dirname, "../../../docs");

/** Terms that an operator or a payments engineer types, and the page that must be the first result. */
const terms: Readonly<Record<string, string>> = {
  webhook: "reference/notifications.md",
  "dead letter": "reference/notifications.md",
  reconciliation: "operating/reconciliation.md",
  permission: "operating/console.md",
  "rate limit": "reference/limits.md",
  timeout: "reference/limits.md",
  "circuit breaker": "operating/runbooks/provider-silent.md",
  "chargeback evidence": "guides/disputes.md",
  "payout failed": "operating/payouts.md",
  "rotate key": "operating/key-rotation.md",
  "restore backup": "operating/backup.md",
  "clock skew": "operating/runbooks/clock-skew.md",
  "replay attack": "concepts/signing.md",
  "settlement file": "reference/provider-protocol.md",
  "fx rate": "operating/currency-conversion.md",
  failover: "operating/high-availability.md",
  "point-in-time recovery": "operating/backup.md",
  sharding: "operating/cells-cost.md",
  metrics: "operating/metrics.md",
  hsm: "operating/signer.md",
  "pci dss": "compliance/pci-dss.md",
  "audit log": "operating/console.md",
  "four-eyes": "operating/console.md",
  "verify signature": "concepts/signing.md",
  "go live": "guides/going-live.md",
  "trial balance": "operating/trial-balance.md",
  "load shedding": "operating/runbooks/load-shedding.md",
  "connection pool": "operating/runbooks/connections-exhausted.md",
  "data retention": "operating/data-retention.md",
  subscription: "guides/tokens.md",
  "event feed": "reference/feed.md",
  "capacity planning": "operating/capacity.md",
  "load test": "operating/load-test.md",
  "authorization hold": "guides/hold-and-capture.md",
};

/**
 * Documents that may not be a first result: indexes and printed lists, which contain every term, and pages for
 * contributors.
 */
const lists =
  /^(?:decisions|evidence|internals)\/|README\.md$|^interface\.md$|glossary\.md$|\/(?:commands|command-line|settings)\.md$/;

/** `entryOf` makes a search entry of a page. Its headings and its search comment count more than its text. */
function entryOf(path: string): Entry {
  const text = readFileSync(join(docs, path), "utf8");
  const [title = path, ...headings] = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  const synonyms = /^<!-- search: (.+) -->$/m.exec(text)?.[1] ?? "";
  const about = /\n\n([^#\n|`<-].*)/.exec(text)?.[1] ?? "";
  return { title, path, kind: "page", about, asked: [...headings, synonyms].join(" "), words: text };
}

const pages = globSync("**/*.md", { cwd: docs }).filter((path) => !lists.test(path));
const search = openSearch(pages.map(entryOf));

for (const [term, page] of Object.entries(terms))
  test(`"${term}" leads to docs/${page}`, () => {
    const found = search(term).map(({ path }) => path);
    assert.equal(found[0], page);
  });

test("a term that is on no page finds none", () => {
  assert.equal(search("zebra giraffe").length, 0);
});

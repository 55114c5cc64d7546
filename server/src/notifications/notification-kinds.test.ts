import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { kindFacts, notificationKinds } from "./notification-kinds.ts";

const schema = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");

function kindsIn(text: string): string[] {
  return [...text.matchAll(/'(notify[A-Z]\w*)'/g)].map(([, kind = ""]) => kind);
}

test("the policy notifications_of_finance names exactly the kinds that staff commands write", () => {
  const [policy = ""] = /^create policy notifications_of_finance .*$/m.exec(schema) ?? [];
  const financeKinds = kindFacts.filter(([, { writtenBy }]) => writtenBy === "finance").map(([kind]) => kind);
  const named = kindsIn(policy);
  const missing = financeKinds.filter((kind) => !named.includes(kind));
  const unknown = named.filter((kind) => !financeKinds.some((each) => each === kind));
  assert.deepEqual(
    { missing, unknown },
    { missing: [], unknown: [] },
    "Alter the policy notifications_of_finance in a new migration, then run npm run generate.",
  );
});

test("the database names only kinds of the table", () => {
  const unknown = kindsIn(schema).filter((kind) => !notificationKinds.some((each) => each === kind));
  assert.deepEqual(unknown, [], "server/schema.sql");
});

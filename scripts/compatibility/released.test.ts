import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { breaksBetween, unresolvedBreaks, type AcceptedBreaks } from "./breaks.ts";
import { reverseOperations, type Document, type Operation, type Schema } from "./openapi-document.ts";
import type { Caller } from "./rules.ts";

interface Interface {
  readonly folder: string;
  readonly caller: Caller;
  readonly users: string;
  readonly fieldCountMin: number;
}

const interfaces: readonly Interface[] = [
  { folder: "server", caller: "others", users: "merchant's program", fieldCountMin: 800 },
  { folder: "sandbox", caller: "gateway", users: "provider", fieldCountMin: 80 },
];

for (const { folder, caller, users, fieldCountMin } of interfaces) {
  const released = read<Document>(folder, "released/openapi.json");

  test(`no ${users} that works with the newest release breaks, except for announced changes`, () => {
    const found = breaksBetween(released, read<Document>(folder, "openapi.json"), caller);
    const accepted = read<AcceptedBreaks[]>(folder, "released/accepted-breaks.json");
    assert.deepEqual(unresolvedBreaks(found, accepted), [], 'See "A deliberate break" in RELEASING.md.');
  });

  test(`removal of any field that a ${users} relies on is detected`, () => {
    let count = 0;
    for (const [name, { post }] of Object.entries({ ...released.paths, ...reverseOperations(released) })) {
      const before: Document = { ...released, paths: { [name]: { post } }, webhooks: {} };
      const after = structuredClone(before);
      for (const fields of bodiesOf(after.paths[name]?.post ?? post).flatMap(fieldsOf)) {
        for (const [field, schema] of Object.entries(fields)) {
          // The test removes each field of a copy of the document, and restores the field after the check.
          delete fields[field];
          assert.ok(breaksBetween(before, after, caller).length > 0, `${name}: ${field}`);
          fields[field] = schema;
          count += 1;
        }
      }
    }
    assert.ok(count > fieldCountMin, `${count} fields`);
  });
}

function bodiesOf({ requestBody, responses }: Operation): Schema[] {
  return [requestBody, ...Object.values(responses)].flatMap(({ content = {} }) =>
    Object.values(content).map(({ schema }) => schema),
  );
}

/** The fields of every object in a schema, at any depth. */
function fieldsOf({ properties = {}, items }: Schema): Record<string, Schema>[] {
  const inner = [...Object.values(properties), ...(items ? [items] : [])];
  return [properties, ...inner.flatMap(fieldsOf)];
}

function read<Content>(folder: string, path: string): Content {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../..", folder, path), "utf8")) as Content;
}

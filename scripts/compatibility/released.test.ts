import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { breaksBetween, unsettledBreaks, type AcceptedBreaks } from "./breaks.ts";
import type { Document, Operation, Schema } from "./document.ts";

const server = join(import.meta.dirname, "../../server");
const read = <Content>(path: string): Content =>
  JSON.parse(readFileSync(join(server, path), "utf8")) as Content;
const released = read<Document>("released/openapi.json");
const accepted = read<AcceptedBreaks[]>("released/accepted-breaks.json");

test("no program that works with the newest release breaks, unless we said that it would", () => {
  const found = breaksBetween(released, read<Document>("openapi.json"));
  assert.deepEqual(unsettledBreaks(found, accepted), [], 'See "A deliberate break" in RELEASING.md.');
});

test("no field of the released document could go unnoticed", () => {
  const operations = Object.entries({ ...released.paths, ...released.webhooks });
  let count = 0;
  for (const [name, { post }] of operations) {
    const before: Document = { ...released, paths: { [name]: { post } }, webhooks: {} };
    const after = structuredClone(before);
    for (const fields of bodiesOf(after.paths[name]?.post ?? post).flatMap(fieldsOf)) {
      for (const [field, schema] of Object.entries(fields)) {
        // Taken out while we look, and put back.
        delete fields[field];
        assert.ok(breaksBetween(before, after).length > 0, `${name}: ${field}`);
        fields[field] = schema;
        count += 1;
      }
    }
  }
  assert.ok(count > 800, `${count} fields`);
});

const bodiesOf = ({ requestBody, responses }: Operation): Schema[] =>
  [requestBody, ...Object.values(responses)].flatMap(({ content = {} }) =>
    Object.values(content).map(({ schema }) => schema),
  );

/** The fields of every object in a schema, however deep. */
function fieldsOf({ properties = {}, items }: Schema): Record<string, Schema>[] {
  const inner = [...Object.values(properties), ...(items ? [items] : [])];
  return [properties, ...inner.flatMap(fieldsOf)];
}

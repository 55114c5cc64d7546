import assert from "node:assert/strict";
import { test } from "node:test";
import { results } from "../core/result.ts";
import { describeRequiredFields } from "../contract/describe-required-fields.ts";
import { notifications } from "./notifications.ts";
import { openApi } from "./openapi.ts";
import { operations } from "./operations.ts";
import { Amount, Time } from "../contract/schemas.ts";

/** The part of a schema that descriptions need. */
interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly enum?: readonly string[];
  readonly "x-enumDescriptions"?: Readonly<Record<string, string>>;
}

/** Every field without a description, and every described value, by path. */
function undescribed(path: string, node: Node): string[] {
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => [
    ...(saysSomething(field.description) ? [] : [`${path}.${name}`]),
    ...undescribed(`${path}.${name}`, field),
  ]);
  const values = isResultCode(node) ? [] : (node.enum ?? []);
  const meanings = node["x-enumDescriptions"] ?? {};
  return [
    ...fields,
    ...values.filter((value) => !saysSomething(meanings[value])).map((value) => `${path} = ${value}`),
    ...(node.items ? undescribed(path, node.items) : []),
  ];
}

/** True if the text is a full sentence about the field, not about its type. */
function saysSomething(text: string | undefined): boolean {
  return /\S{2}.*[.:]$/s.test(text ?? "") && !aboutTypes.has(text);
}

const aboutTypes = new Set(([Amount, Time] as Node[]).map(({ description }) => description));

/** True for the field of result codes, whose descriptions are in the table of results. */
function isResultCode({ enum: values = [] }: Node): boolean {
  return values.length === Object.keys(results).length;
}

function countFields({ properties = {}, items }: Node): number {
  const inside = Object.values(properties).reduce((sum, field) => sum + 1 + countFields(field), 0);
  return inside + (items ? countFields(items) : 0);
}

test("every field of a request, a response and a webhook has a description, and so has every value", () => {
  const schemas: [string, Node][] = [
    ...operations.flatMap(({ path, request, requiredFields, response }): [string, Node][] => [
      [`${path} request`, describeRequiredFields(request, requiredFields)],
      [`${path} answer`, response],
    ]),
    ...notifications.map(({ kind, body }): [string, Node] => [kind, body]),
    ...Object.entries(
      (openApi(operations)["components"] as unknown as { schemas: Record<string, Node> }).schemas,
    ),
  ];
  assert.ok(schemas.reduce((sum, [, schema]) => sum + countFields(schema), 0) > 500);
  assert.deepEqual(
    schemas.flatMap(([path, schema]) => undescribed(path, schema)),
    [],
  );
});

test("a field without a description is found, and a value without one", () => {
  const node = {
    properties: {
      silent: {},
      when: Time as Node,
      list: { description: "A list.", items: { properties: { deep: { description: "x" } } } },
      choice: { description: "One of two.", enum: ["A", "B"], "x-enumDescriptions": { A: "The first." } },
    },
  };
  assert.deepEqual(undescribed("pay", node), ["pay.silent", "pay.when", "pay.list.deep", "pay.choice = B"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { conformanceModels } from "./conformance-models.ts";
import type { Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";

test("an example becomes four cases: unchanged, with unknown fields and values, and with nulls", () => {
  const field = { isSecret: false, doc: "", limits: {} };
  const types: ObjectType[] = [
    {
      name: "PayRequest",
      doc: "",
      role: "request",
      fields: [
        { ...field, name: "status", type: { kind: "enum", name: "Status" }, isRequired: true },
        {
          ...field,
          name: "items",
          type: { kind: "list", of: { kind: "object", name: "Item" } },
          isRequired: false,
        },
      ],
    },
    {
      name: "Item",
      doc: "",
      role: "part",
      fields: [{ ...field, name: "name", type: { kind: "text" }, isRequired: false }],
    },
  ];
  const json = { status: "OPEN", items: [{}] };
  const model = { types, examples: [{ id: "PayRequest", type: "PayRequest", role: "request", json }] };
  const { text } = conformanceModels(model as unknown as Model);
  const { cases } = JSON.parse(text) as { cases: readonly { id: string; json: unknown; expect: unknown }[] };
  const newField = { deep: ["kept", 1, true] };
  assert.deepEqual(
    cases.map(({ id, json: given, expect }) => [id, given, expect]),
    [
      ["PayRequest/example", json, json],
      ["PayRequest/unknown-field", ...twice({ status: "OPEN", items: [{ newField }], newField })],
      ["PayRequest/unknown-text", ...twice({ status: "SOMETHING_NEW", items: [{}] })],
      ["PayRequest/null", { status: "OPEN", items: [{ name: null }] }, json],
    ],
  );
});

function twice(value: unknown): [unknown, unknown] {
  return [value, value];
}

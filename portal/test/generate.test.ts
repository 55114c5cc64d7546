import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { generatedFiles } from "../build/generate.ts";
import { writeType } from "../build/write-schema-type.ts";

test("the generated types are equal to the servers' tables", () => {
  for (const [name, text] of generatedFiles()) {
    const committed = readFileSync(new URL(`../src/generated/${name}`, import.meta.url), "utf8");
    assert.equal(committed, text, `portal/src/generated/${name}: run npm run generate`);
  }
});

test("a JSON schema is converted to its TypeScript type", () => {
  const schema = {
    type: "object",
    properties: {
      id: { type: "string", description: "Which one." },
      states: { type: "array", items: { type: "string", enum: ["A", "B"] } },
      count: { type: "integer" },
      options: { type: "object", properties: {} },
    },
    required: ["id", "states"],
  };
  assert.equal(
    writeType(schema),
    [
      "{",
      "  /** Which one. */",
      "  readonly id: string;",
      '  readonly states: readonly ("A" | "B")[];',
      "  readonly count?: number;",
      "  readonly options?: object;",
      "}",
    ].join("\n"),
  );
});

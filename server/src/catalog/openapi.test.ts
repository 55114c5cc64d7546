import assert from "node:assert/strict";
import { test } from "node:test";
import { requestValidationCodes, results } from "../core/result.ts";
import type { JsonValue } from "../core/strict-json.ts";
import { notificationKinds } from "../notifications/notification-kinds.ts";
import { describeRequiredFields } from "../contract/describe-required-fields.ts";
import { notifications } from "./notifications.ts";
import { openApi } from "./openapi.ts";
import { operations } from "./operations.ts";
import { requestReader } from "../contract/read-request.ts";

interface Node {
  readonly [key: string]: JsonValue;
}

interface Post extends Node {
  readonly operationId: string;
  readonly tags: readonly string[] & JsonValue;
  readonly "x-result-codes": readonly string[] & JsonValue;
}

const document = JSON.parse(JSON.stringify(openApi(operations))) as Node;
const paths = document["paths"] as { readonly [path: string]: { readonly post: Post } };

test("the document is OpenAPI 3.1 and has a title", () => {
  assert.equal(document["openapi"], "3.1.0");
  assert.partialDeepStrictEqual(document, {
    info: { title: "Tollgate", license: { identifier: "Apache-2.0" } },
  });
});

test("every operation is in the document, with a unique name, and nothing else is", () => {
  assert.deepEqual(
    Object.keys(paths),
    operations.map(({ path }) => `/${path}`),
  );
  const posts = Object.values(paths).map(({ post }) => post);
  assert.equal(new Set(posts.map(({ operationId }) => operationId)).size, posts.length);
  const declared = (document["tags"] as readonly { name: string }[]).map(({ name }) => name);
  for (const { tags } of posts) for (const tag of tags) assert.ok(declared.includes(String(tag)));
});

for (const operation of operations) {
  const { path, example, moreExamples = [], request, requiredFields, response } = operation;
  const post = paths[`/${path}`]?.post;

  test(`${path}: its example has a valid request and a valid response`, () => {
    assert.deepEqual(requestReader(request)(example.request as JsonValue), { request: example.request });
    assert.deepEqual(requestReader(response)(example.response as JsonValue), { request: example.response });
    for (const moreExample of moreExamples) {
      assert.deepEqual(requestReader(request)(moreExample.request as JsonValue), {
        request: moreExample.request,
      });
      // The response of a rejection may have only its `result`.
      if (results[moreExample.code ?? "SUCCESS"].status !== "F")
        assert.deepEqual(requestReader(response)(moreExample.response as JsonValue), {
          request: moreExample.response,
        });
    }
    assert.deepEqual(post?.["x-scenes"] ? titlesOf(post["x-scenes"]) : [], titlesOf(moreExamples as never));
  });

  test(`${path}: lists all its result codes, including those of the request validation`, () => {
    const codes = post?.["x-result-codes"] ?? [];
    assert.deepEqual(new Set(codes), new Set([...operation.results, ...requestValidationCodes]));
    assert.equal(new Set(codes).size, codes.length);
    for (const code of codes) assert.ok(String(code) in results);
  });

  test(`${path}: documents request and response`, () => {
    assert.partialDeepStrictEqual(post, {
      summary: operation.summary,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: JSON.parse(JSON.stringify(describeRequiredFields(request, requiredFields))),
          },
        },
      },
      responses: {
        "200": { content: { "application/json": { schema: { type: "object", required: ["result"] } } } },
      },
    });
    assert.match(operation.summary, /^[A-Z].*\.$/);
  });
}

test("every reference in the document resolves", () => {
  const references = nodesIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  assert.ok(references.length > 0);
  for (const reference of references) {
    const found = reference
      .split("/")
      .slice(1)
      .reduce<JsonValue | undefined>(
        (node, name) => (node as Node | undefined)?.[name],
        document as JsonValue,
      );
    assert.ok(found !== undefined, reference);
  }
});

test("every schema requires only described fields, and every pattern is valid", () => {
  const schemas = nodesIn(document).filter(({ properties }) => properties !== undefined);
  assert.ok(schemas.length > 0);
  for (const { required, properties } of schemas) {
    for (const name of (required ?? []) as readonly string[]) assert.ok(name in (properties as Node), name);
  }
  const patterns = nodesIn(document).flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []));
  assert.ok(patterns.length > 0);
  for (const pattern of patterns)
    assert.match(pattern, /^\^.*\$$/, "It would match in the middle of anything.");
  for (const pattern of patterns) assert.doesNotThrow(() => new RegExp(pattern, "u"));
});

test("every result has a status, a meaning and an advice", () => {
  const documented = Object.entries(results).map(
    ([code, { status, message, advice }]) => [code, { status, message, advice }] as const,
  );
  assert.partialDeepStrictEqual(document["x-result-codes"], Object.fromEntries(documented));
});

test("every kind of webhook is in the document, with a valid example", () => {
  assert.deepEqual(notifications.map(({ kind }) => kind).toSorted(), notificationKinds.toSorted());
  assert.deepEqual(
    Object.keys(document["webhooks"] as Node),
    notifications.map(({ kind }) => kind),
  );
  for (const { body, example, moreExamples = [], kind } of notifications)
    for (const each of [example, ...moreExamples.map((scene) => scene.body)])
      assert.deepEqual(requestReader(body)(each as Node), { request: each }, kind);
});

function titlesOf(scenes: JsonValue): (string | undefined)[] {
  return (scenes as readonly { readonly title?: string }[]).map(({ title }) => title);
}

/** Every object of the document, at any depth. */
function nodesIn(value: JsonValue | Node): Node[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => nodesIn(item));
  const node = value as Node;
  return [node, ...Object.values(node).flatMap((inner) => nodesIn(inner))];
}

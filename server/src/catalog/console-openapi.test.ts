import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../core/strict-json.ts";
import { consoleResults } from "../people/console-result.ts";
import { permissions } from "../people/role.ts";
import { acts } from "./acts.ts";
import { consoleOpenApi } from "./console-openapi.ts";
import { operations } from "./operations.ts";
import { requestReader } from "../contract/read-request.ts";
import { views } from "./views.ts";

interface Post {
  readonly operationId: string;
  readonly "x-permission": keyof typeof permissions;
  readonly "x-step-up": boolean;
  readonly "x-result-codes": readonly string[];
}

const document = consoleOpenApi(views, acts);
const paths = document["paths"] as unknown as Readonly<Record<string, { readonly post: Post }>>;
const posts = Object.values(paths).map(({ post }) => post);

test("every view and act is in the document, with a unique name and the required permission", () => {
  assert.deepEqual(Object.keys(paths), [
    ...views.map(({ name }) => `/views/${name}`),
    ...acts.map(({ name }) => `/acts/${name}`),
  ]);
  assert.equal(new Set(posts.map(({ operationId }) => operationId)).size, posts.length);
  for (const post of posts) assert.equal(post["x-step-up"], permissions[post["x-permission"]].stepUp);
});

test("an act is an operation of the public API, except for clients, keys and test webhooks, and no view is", () => {
  const forPeopleAlone = acts.filter(({ isPublic }) => !isPublic).map(({ name }) => name);
  assert.deepEqual(forPeopleAlone, ["sendTestNotification", "openClient", "addKey", "revokeKey"]);
  for (const { operation, name, isPublic } of acts) {
    assert.equal(operations.includes(operation), isPublic, name);
    assert.ok(!("find" in operation), name);
  }
  for (const view of views) assert.ok(!("claim" in view) && !("change" in view), view.name);
});

test("every result of a route exists", () => {
  for (const post of posts)
    for (const code of post["x-result-codes"]) assert.ok(code in consoleResults, code);
});

for (const { name, request, response, example, summary } of views) {
  test(`${name}: its example has a valid request and a valid response`, () => {
    assert.deepEqual(requestReader(request)(example.request as JsonValue), { request: example.request });
    assert.deepEqual(requestReader(response)(example.response as JsonValue), { request: example.response });
    assert.match(summary, /^[A-Z].*\.$/);
  });
}

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

function undescribed(path: string, { properties = {}, items }: Node): string[] {
  const fields = Object.entries(properties).flatMap(([name, field]) => [
    ...(/\S{2}.*[.:]$/s.test(field.description ?? "") ? [] : [`${path}.${name}`]),
    ...undescribed(`${path}.${name}`, field),
  ]);
  return [...fields, ...(items ? undescribed(path, items) : [])];
}

test("every field of a view has a description", () => {
  const silent = views.flatMap(({ name, request, response }) => [
    ...undescribed(`${name} request`, request as Node),
    ...undescribed(`${name} answer`, response as Node),
  ]);
  assert.deepEqual(silent, []);
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newOverloadGuard } from "../limits/overload-guard.ts";
import { serveText } from "./serve-text.ts";
import { newServer } from "../merchant-api/server.ts";

const app = await newServer(
  {
    environment: "sandbox",
    logLevel: "silent",
    tls: undefined,
    publicUrl: "https://pay.example",
    trustedProxies: { has: () => false },
  },
  newOverloadGuard(() => 0),
);
let made = 0;
let isOverloaded = true;
serveText(app, {
  path: "/page",
  type: "text/plain",
  text: () => `page ${(made += 1)}`,
  headers: {},
  isOverloaded: () => isOverloaded,
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
after(() => app.close());

const get = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/page`, { headers });

test("a page is rendered once, at its first request, and never while the process is overloaded", async () => {
  assert.equal((await get({})).status, 503);
  assert.equal(made, 0);

  isOverloaded = false;
  const plain = await get({ "accept-encoding": "identity" });
  const compressed = await get({ "accept-encoding": "gzip" });
  assert.equal(compressed.headers.get("content-encoding"), "gzip");
  assert.deepEqual([await plain.text(), await compressed.text()], ["page 1", "page 1"]);
  assert.equal((await get({ "if-none-match": plain.headers.get("etag") ?? "" })).status, 304);
  assert.equal(made, 1);
});

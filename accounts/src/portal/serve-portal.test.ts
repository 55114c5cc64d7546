import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import fastify from "fastify";
import { servePortal } from "./serve-portal.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-portal-"));
after(() => rm(folder, { recursive: true }));
await mkdir(join(folder, "assets"));
await writeFile(
  join(folder, "index.html"),
  '<meta nonce="[[nonce]]"><meta content="[[environments]]"><script nonce="[[nonce]]" src="/assets/a-1.js"></script>',
);
await writeFile(join(folder, "assets", "a-1.js"), "run();");
await writeFile(join(folder, "assets", "a-1.js.br"), brotliCompressSync("run();"));
await writeFile(join(folder, "secret.js"), "no asset");

const gateways = [{ environment: "sandbox", url: "https://sandbox.pay.example" }] as const;
const app = fastify();
await servePortal(app, { folder, page: "index.html", gateways });
after(() => app.close());

test("every response has a new nonce in the page and in its policy", async () => {
  const responses = await Promise.all([app.inject("/people"), app.inject("/people")]);
  const nonces = responses.map(({ body, headers }) => {
    const [, nonce = ""] = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
    assert.equal(body.split(`nonce="${nonce}"`).length, 3);
    assert.equal(headers["cache-control"], "no-store");
    return nonce;
  });
  assert.notEqual(nonces[0], nonces[1]);
  assert.match(nonces[0] ?? "", /^[\w+/]{22}==$/);
});

test("the policy allows only our scripts, and requests only to the configured gateways", async () => {
  const { headers, body } = await app.inject("/");
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'; script-src 'self'; /);
  assert.match(policy, /connect-src 'self' https:\/\/sandbox\.pay\.example;/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.match(body, /content="\[\{&quot;environment&quot;:&quot;sandbox&quot;,/);
});

test("a file is cached without expiry, and compressed for clients that accept it", async () => {
  const plain = await app.inject("/assets/a-1.js");
  assert.equal(plain.body, "run();");
  assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(plain.headers["content-type"], "text/javascript; charset=utf-8");
  const fetchAsset = async (acceptEncoding: string) =>
    (await app.inject({ url: "/assets/a-1.js", headers: { "accept-encoding": acceptEncoding } })).rawPayload;
  assert.equal(brotliDecompressSync(await fetchAsset("gzip, br")).toString(), "run();");
  assert.equal(gunzipSync(await fetchAsset("gzip")).toString(), "run();");
});

test("an unknown path returns 404", async () => {
  for (const url of [
    "/assets/b-2.js",
    "/assets/a-1.js.br",
    "/assets/..%2fsecret.js",
    "/assets/",
    "/accounts/nothing",
    "/accounts",
  ])
    assert.equal((await app.inject(url)).statusCode, 404, url);
});

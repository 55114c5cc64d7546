import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { openIdentityProvider, type IdentityProvider } from "./identity-provider.ts";

interface Served {
  keys: readonly object[] | string;
  discovery: object;
  /** Megabytes that an answer has before its end. */
  padding: number;
  keysAsked: number;
  /** Megabytes that were written until the connection ended. */
  written: number;
}

/** An identity provider that answers what a test says. */
async function startProvider(): Promise<{ readonly served: Served; readonly provider: IdentityProvider }> {
  const served: Served = { keys: [], discovery: {}, padding: 0, keysAsked: 0, written: 0 };
  const server = createServer((request, response) => {
    const answer = (value: unknown): void => {
      response.write('{"padding":"');
      const piece = "a".repeat(2 ** 20);
      const more = (): void => {
        for (; served.written < served.padding;) {
          served.written += 1;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end(`",${JSON.stringify(value).slice(1)}`);
      };
      more();
    };
    if (request.url?.includes("well-known"))
      return answer({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...served.discovery,
      });
    if (request.url === "/token") return answer({ id_token: "token" });
    served.keysAsked += 1;
    return answer({ keys: served.keys });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const settings = { issuer, clientId: "tollgate", clientSecret: "secret", name: "Test", domains: [] };
  return { served, provider: openIdentityProvider(settings) };
}

const keyIds = (keys: readonly { readonly kid?: string }[]): unknown[] => keys.map(({ kid }) => kid);

test("a key that the provider has rotated in counts at once, and known keys are read once", async () => {
  const { served, provider } = await startProvider();
  served.keys = [{ kid: "old" }];
  for (const _ of [1, 2, 3]) assert.deepEqual(keyIds(await provider.keys("old")), ["old"]);
  assert.equal(served.keysAsked, 1);

  served.keys = [{ kid: "old" }, { kid: "new" }];
  assert.deepEqual(keyIds(await provider.keys("new")), ["old", "new"]);
  assert.deepEqual(keyIds(await provider.keys("old")), ["old", "new"]);
  assert.equal(served.keysAsked, 2);
});

test("unknown key ids ask the provider at most once in ten seconds", async () => {
  const { served, provider } = await startProvider();
  served.keys = [{ kid: "old" }];
  await provider.keys("old");
  for (const kid of ["a", "b", "c"]) assert.deepEqual(keyIds(await provider.keys(kid)), ["old"]);
  assert.equal(served.keysAsked, 2);
});

test("an answer longer than 256 KiB is given up while it is read", async () => {
  const { served, provider } = await startProvider();
  await provider.authorizationEndpoint();
  served.padding = 64;
  await assert.rejects(
    provider.exchange("code", "verifier", "https://portal.example"),
    /more than 262144 bytes/,
  );
  assert.ok(served.written < 32, `${served.written} MB`);
  served.written = 0;
  await assert.rejects(provider.keys("k"), /more than 262144 bytes/);
  assert.ok(served.written < 32, `${served.written} MB`);
});

test("a set of keys that is no list is refused", async () => {
  const { served, provider } = await startProvider();
  served.keys = "none";
  await assert.rejects(provider.keys("k"), /no list of keys/);
});

test("an endpoint of another scheme than the issuer's is refused", async () => {
  for (const endpoint of ["javascript:alert(1)", "ftp://id.example/auth"]) {
    const { served, provider } = await startProvider();
    served.discovery = { authorization_endpoint: endpoint };
    await assert.rejects(provider.authorizationEndpoint(), /authorization_endpoint/);
  }
});

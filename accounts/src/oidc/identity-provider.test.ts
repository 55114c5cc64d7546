import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { sha256 } from "../../../server/src/core/digest.ts";
import {
  clientId,
  clientSecret,
  identify,
  signIn,
  startHostileIdentityProvider,
  writeCompressed,
  writeLong,
  type Document,
  type HostileIdentityProvider,
} from "../../test/hostile-identity-provider.ts";
import { IdentityProviderUnreachable } from "./fetch-limited.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const jwk = (kid: string): object => ({ ...publicKey.export({ format: "jwk" }), kid });

/** `tokenOf` returns a valid token that names this key. */
function tokenOf({ issuer }: HostileIdentityProvider, kid = "old"): { readonly id_token: string } {
  const seconds = Math.floor(Date.now() / 1000);
  const { nonce } = signIn;
  const claims = { iss: issuer, aud: clientId, sub: "ada", nonce, iat: seconds, exp: seconds + 60 };
  const parts = [{ alg: "EdDSA", kid }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const text = parts.join(".");
  return { id_token: `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}` };
}

/** `startProvider` starts a provider whose sign-in succeeds unless a test changes a document. */
async function startProvider(): Promise<HostileIdentityProvider> {
  const provider = await startHostileIdentityProvider();
  provider.discovery = { id_token_signing_alg_values_supported: ["EdDSA"] };
  provider.keys = [jwk("old")];
  provider.token = tokenOf(provider);
  return provider;
}

test("keys are requested once, and again when the provider has rotated them", async (t) => {
  const provider = await startProvider();
  const client = provider.open();
  for (const _ of [1, 2, 3]) assert.ok(await identify(client));
  assert.deepEqual(provider.requests, { discovery: 1, keys: 1, token: 3 });

  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 11_000 });
  provider.keys = [jwk("old"), jwk("new")];
  provider.token = tokenOf(provider, "new");
  for (const _ of [1, 2]) assert.ok(await identify(client));
  provider.token = tokenOf(provider, "old");
  assert.ok(await identify(client));
  assert.equal(provider.requests.keys, 2);
});

test("unknown key ids cause at most one request for keys in ten seconds", async (t) => {
  const provider = await startProvider();
  const client = provider.open();
  assert.ok(await identify(client));
  for (const [secondsAhead, requests] of [
    [0, 1],
    [11, 2],
    [22, 3],
  ] as const) {
    t.mock.timers.reset();
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() + secondsAhead * 1_000 });
    for (const kid of ["a", "b", "c"]) {
      provider.token = tokenOf(provider, kid);
      assert.equal(await identify(client), undefined);
    }
    assert.equal(provider.requests.keys, requests);
  }
});

test("a key that the provider has removed is rejected within ten minutes", async (t) => {
  const provider = await startProvider();
  const client = provider.open();
  assert.ok(await identify(client));
  provider.keys = [];
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 10 * 60_000 + 1 });
  provider.token = tokenOf(provider);
  assert.equal(await identify(client), undefined);
});

const documents: readonly Document[] = ["discovery", "keys", "token"];

for (const document of documents) {
  test(`a response larger than 256 KiB is aborted while it is read: ${document}`, async () => {
    const provider = await startProvider();
    let progress = { written: 0 };
    provider.misbehave = (path, response) => {
      if (path !== document) return false;
      progress = writeLong(response, 64);
      return true;
    };
    const isTooLong = (error: Error): boolean =>
      error instanceof IdentityProviderUnreachable && /larger than 262144 bytes/.test(String(error.cause));
    await assert.rejects(identify(provider.open()), isTooLong);
    assert.ok(progress.written > 0 && progress.written < 32, `${progress.written} MB`);

    provider.misbehave = (path, response) => {
      if (path !== document) return false;
      writeCompressed(response, 1);
      return true;
    };
    await assert.rejects(identify(provider.open()), isTooLong);
  });

  test(`redirects are rejected: ${document}`, async () => {
    const provider = await startProvider();
    const elsewhere = await startHostileIdentityProvider();
    provider.misbehave = (path, response) => {
      if (path !== document) return false;
      response.writeHead(307, { location: `${elsewhere.issuer}/${document}` }).end();
      return true;
    };
    await assert.rejects(identify(provider.open()), IdentityProviderUnreachable);
    assert.deepEqual(elsewhere.requests, { discovery: 0, keys: 0, token: 0 });
  });
}

test("a response times out after five seconds in total, even while data arrives", async () => {
  const attempts = documents.map(async (document) => {
    const provider = await startProvider();
    provider.misbehave = (path, response) => {
      if (path !== document) return false;
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
      return true;
    };
    const startedMs = performance.now();
    await assert.rejects(identify(provider.open()), IdentityProviderUnreachable);
    const ms = performance.now() - startedMs;
    assert.ok(ms < 15_000, `${document}: ${ms} ms`);
  });
  await Promise.all(attempts);
});

test("an endpoint with another scheme than the issuer is rejected", async () => {
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    for (const endpoint of [
      "javascript:alert(1)",
      "ftp://id.example/auth",
      "file:///etc/passwd",
      7,
      undefined,
    ]) {
      const provider = await startProvider();
      provider.discovery = { [name]: endpoint };
      await assert.rejects(
        provider.open().authorizationUrl(signIn, false),
        new RegExp(`${name} has another URL scheme`),
      );
    }
});

test("a discovery document of another issuer is rejected", async () => {
  for (const issuer of ["https://evil.example", "", undefined, 7]) {
    const provider = await startProvider();
    provider.discovery = { issuer };
    await assert.rejects(provider.open().authorizationUrl(signIn, false), /issuer/);
  }
  const provider = await startProvider();
  provider.discovery = { issuer: `${provider.issuer}/` };
  await assert.rejects(provider.open().authorizationUrl(signIn, false), /another issuer/);
});

test("an authorization response of another issuer, or of another request, sends no code (mix-up)", async () => {
  const provider = await startProvider();
  const client = provider.open();
  assert.ok(await identify(client, { iss: provider.issuer }));
  const sent = provider.requests.token;
  assert.equal(await identify(client, { iss: "https://evil.example" }), undefined);
  assert.equal(await identify(client, { iss: `${provider.issuer}/` }), undefined);
  assert.equal(await identify(client, { state: "of another request" }), undefined);
  assert.equal(await identify(client, { error: "access_denied" }), undefined);
  assert.equal(await identify(client, { code: "" }), undefined);
  assert.equal(provider.requests.token, sent);

  provider.discovery = { ...provider.discovery, authorization_response_iss_parameter_supported: true };
  const announced = provider.open();
  assert.ok(await identify(announced, { iss: provider.issuer }));
  assert.equal(
    await identify(announced),
    undefined,
    "without the iss that the provider announces (RFC 9207)",
  );
  assert.equal(provider.requests.token, sent + 1);
});

test("a token of another issuer is rejected, although that issuer signed it for us (mix-up)", async () => {
  const [provider, other] = [await startProvider(), await startProvider()];
  provider.token = tokenOf(other);
  assert.equal(await identify(provider.open()), undefined);
});

test("the code is sent with the PKCE verifier of its challenge, and with the client secret in the header", async () => {
  const provider = await startProvider();
  const client = provider.open();
  const query = new URL(await client.authorizationUrl(signIn, false)).searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    response_type: "code",
    client_id: clientId,
    redirect_uri: signIn.redirectUri,
    scope: "openid email",
    state: signIn.state,
    nonce: signIn.nonce,
    code_challenge: sha256(signIn.codeVerifier).toString("base64url"),
    code_challenge_method: "S256",
  });
  assert.ok(await identify(client));
  const { body, authorization } = provider.tokenRequest;
  assert.deepEqual(Object.fromEntries(body), {
    grant_type: "authorization_code",
    code: "code",
    code_verifier: signIn.codeVerifier,
    redirect_uri: signIn.redirectUri,
  });
  const [, credentials = ""] = authorization?.split(" ") ?? [];
  const secret = Buffer.from(credentials, "base64").toString();
  assert.equal(new URLSearchParams(`secret=${secret}`).get("secret"), `${clientId}:${clientSecret}`);
});

test("an error or a nonconformant token response is a refusal, not a fault", async () => {
  const provider = await startProvider();
  for (const token of [{}, { id_token: 7 }, { ...tokenOf(provider), token_type: undefined }]) {
    provider.token = token;
    assert.equal(await identify(provider.open()), undefined);
  }
  provider.token = tokenOf(provider);
  for (const status of [204, 400, 401, 500]) {
    provider.misbehave = (path, response) => {
      if (path !== "token") return false;
      response.writeHead(status, { "content-type": "application/json", "www-authenticate": "Basic" });
      response.end(status === 204 ? undefined : '{"error":"invalid_grant"}');
      return true;
    };
    assert.equal(await identify(provider.open()), undefined, String(status));
  }
});

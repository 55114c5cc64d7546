import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { writeTestFile } from "../../test/start/test-gateway.ts";
import { openSigner, type ExternalKey } from "./gateway-keys.ts";
import { openVaultTransit } from "./vault-transit.ts";
import { createWrappingKeys } from "./wrapping-keys.ts";

/** These tests run a server with the API of Vault's transit engine: its paths, its fields, its form of a signature. */
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const edwards = generateKeyPairSync("ed25519");
const keys: Readonly<Record<string, KeyObject>> = {
  "tollgate-1": rsa.privateKey,
  "tollgate-1-ed25519": edwards.privateKey,
};
let token = "hvs.first";
const requests: string[] = [];

const vault = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const respond = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    requests.push(`${request.method} ${request.url}`);
    const [, name = ""] = /^\/v1\/transit\/sign\/([^/]+)$/.exec(request.url ?? "") ?? [];
    const key = keys[name];
    if (request.headers["x-vault-token"] !== token) return respond(403, { errors: ["permission denied"] });
    if (!key) return respond(400, { errors: ["signing key not found"] });
    const signRequest = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, string>;
    const isRsa = key.asymmetricKeyType === "rsa";
    if (
      isRsa &&
      (signRequest["hash_algorithm"] !== "sha2-256" || signRequest["signature_algorithm"] !== "pkcs1v15")
    )
      return respond(400, { errors: ["another signature was asked for"] });
    const text = Buffer.from(signRequest["input"] ?? "", "base64");
    const signature = sign(isRsa ? "sha256" : null, text, key).toString("base64");
    return respond(200, { data: { signature: `vault:v1:${signature}`, key_version: 1 } });
  });
}).listen(0, "127.0.0.1");
after(() => vault.close());
await once(vault, "listening");

const tokenFile = writeTestFile("vault-token", `${token}\n`);
chmodSync(tokenFile, 0o600);
const url = `http://127.0.0.1:${(vault.address() as AddressInfo).port}`;
const keyStore = openVaultTransit({ url, tokenFile, mount: "transit" });
const spki = (key: KeyObject): Buffer => key.export({ format: "der", type: "spki" });
const externalKey: ExternalKey = {
  version: 1,
  publicKey: spki(rsa.publicKey),
  ed25519PublicKey: spki(edwards.publicKey),
  heldAs: "tollgate-1",
};
const wrappingKeys = createWrappingKeys(randomBytes(32));
const text = Buffer.from("POST /a\nA.1.{}");

test("a key in Vault signs with both algorithms, like a key of this process", async () => {
  const signer = await openSigner(async () => [externalKey], wrappingKeys, "sandbox", keyStore);
  assert.deepEqual(await signer.signText(1, text), sign("sha256", text, rsa.privateKey));
  assert.deepEqual(await signer.signText(1, text, "Ed25519"), sign(null, text, edwards.privateKey));
  assert.ok(requests.includes("POST /v1/transit/sign/tollgate-1-ed25519"));
});

test("a token that an agent renews is read from its file", async () => {
  const signer = await openSigner(async () => [externalKey], wrappingKeys, "sandbox", keyStore);
  token = "hvs.second";
  await assert.rejects(signer.signText(1, text), {
    message: "Vault did not sign with tollgate-1: HTTP 403 permission denied",
  });
  writeFileSync(tokenFile, token);
  await signer.signText(1, text);
});

test("a key with a wrong name does not sign responses, and a key without a holder says which holder it needs", async () => {
  const otherPublicKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const wrongSigner = openSigner(
    async () => [{ ...externalKey, publicKey: spki(otherPublicKey) }],
    wrappingKeys,
    "sandbox",
    keyStore,
  );
  await assert.rejects(wrongSigner, {
    message: "What signs as tollgate-1 is another key than gateway key 1 in the database.",
  });
  await assert.rejects(
    openSigner(async () => [externalKey], wrappingKeys, "sandbox"),
    /Gateway key 1 is held elsewhere, as tollgate-1: only a `tollgate signer` that knows where can sign with it/,
  );
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newKeyPair, newMerchant, send, startTestGateway } from "../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../test/shop/test-payment.ts";

const script = fileURLToPath(new URL("../../../examples/curl/inquire.sh", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "tollgate-curl-"));
after(() => rm(folder, { recursive: true, force: true }));

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database);
const { paymentId, paymentRequestId } = await insertTestPayment(gateway.database, merchant.clientId);

const privateKeyFile = join(folder, "private.pem");
const gatewayKeyFile = join(folder, "gateway.pem");
await writeFile(privateKeyFile, merchant.privateKey.export({ format: "pem", type: "pkcs8" }));
await writeFile(gatewayKeyFile, merchant.gatewayPublicKey.export({ format: "pem", type: "spki" }));

test("a merchant with openssl and curl queries its payment and verifies the response", async () => {
  const ran = await inquire({});

  assert.deepEqual(ran.errors, "");
  assert.equal(ran.exitCode, 0);
  const [answer = "", verdict] = ran.printed.split("\n");
  assert.equal(verdict, "signature: verified");
  assert.partialDeepStrictEqual(JSON.parse(answer), {
    result: { resultCode: "SUCCESS" },
    paymentId,
    paymentRequestId,
  });
});

test("the response about an unknown payment is verified like any other", async () => {
  const ran = await inquire({ PAYMENT_ID: "20260301123450000000000000000000000" });

  assert.equal(ran.exitCode, 0);
  const [answer = "", verdict] = ran.printed.split("\n");
  assert.equal(verdict, "signature: verified");
  assert.partialDeepStrictEqual(JSON.parse(answer), { result: { resultCode: "ORDER_NOT_EXIST" } });
});

test("a response is rejected if the merchant has another key than the gateway's", async () => {
  const { publicKeyFile } = await newKeyPair("otherKey");
  const ran = await inquire({ GATEWAY_PUBLIC_KEY_FILE: publicKeyFile });

  assert.equal(ran.exitCode, 1);
  assert.equal(ran.printed, "");
  assert.match(ran.errors, /^signature: NOT verified/);
});

test("a response that was changed on the way is rejected", async () => {
  const middle = createServer((request, response) => void forwardTampered(request, response));
  await new Promise<void>((resolve) => middle.listen(0, "127.0.0.1", resolve));
  after(() => middle.close());
  const address = middle.address();
  assert.ok(address && typeof address === "object");

  const ran = await inquire({ BASE_URL: `http://127.0.0.1:${address.port}` });

  assert.equal(ran.exitCode, 1);
  assert.equal(ran.printed, "");
  assert.match(ran.errors, /^signature: NOT verified/);
});

test("an unreachable gateway is a failure", async () => {
  const ran = await inquire({ BASE_URL: "http://127.0.0.1:1" });

  assert.notEqual(ran.exitCode, 0);
  assert.equal(ran.printed, "");
});

/** Acts as a man in the middle who raises the amount. */
async function forwardTampered(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = request.headers as Record<string, string>;
  const answer = await send(gateway.url, { path: request.url ?? "", body: await buffer(request), headers });
  response.writeHead(200, { ...answer.headers });
  response.end(answer.text.replace('"10000"', '"90000"'));
}

interface Ran {
  readonly exitCode: number;
  readonly printed: string;
  readonly errors: string;
}

/** Runs the documentation's curl example in a shell with only these environment variables. */
async function inquire(otherwise: Readonly<Record<string, string>>): Promise<Ran> {
  const env = {
    PATH: process.env["PATH"],
    BASE_URL: gateway.url,
    CLIENT_ID: merchant.clientId,
    KEY_VERSION: String(merchant.keyVersion),
    PRIVATE_KEY_FILE: privateKeyFile,
    GATEWAY_PUBLIC_KEY_FILE: gatewayKeyFile,
    PAYMENT_ID: paymentId,
    ...otherwise,
  };
  return new Promise((resolve) => {
    const child = execFile("bash", [script], { env }, (_error, printed, errors) =>
      resolve({ exitCode: child.exitCode ?? -1, printed, errors }),
    );
  });
}
